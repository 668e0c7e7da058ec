// Contacts eight at a time: the same as one after the other, to the bit.
#include "collision/contacts/contact_constraints.h"

#include "support/instruction_sets.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace taffeta {
namespace {

constexpr Index particles = 60, sentinel = particles;

// Contacts between few points, so that most have some in common; every seventh point cannot move.
struct Heap {
    std::vector<Vec4> x_prev = {}, x = {};
    std::vector<Contact> contacts = {};
};
Heap make_heap(std::size_t count) {
    test::Random random(81);
    Heap heap;
    for (Index p = 0; p < particles; ++p) {
        const Vec3 from = random.in_cube_float(0.1), to = from + random.in_cube_float(0.01);
        const float w = p % 7 == 0 ? 0 : 1 + static_cast<float>(p % 3);
        heap.x_prev.push_back({from.x, from.y, from.z, w});
        heap.x.push_back({to.x, to.y, to.z, w});
    }
    heap.x_prev.push_back({}), heap.x.push_back({});
    for (std::size_t k = 0; k < count; ++k) {
        Contact& contact = heap.contacts.emplace_back();
        const auto first = random.below(particles);
        for (Index corner = 0; corner < 4; ++corner) contact.particle[corner] = (first + 13 * corner) % particles;
        const auto s = static_cast<float>(random.uniform(0, 1)), t = static_cast<float>(random.uniform(0, 1));
        switch (k % 4) {
        case 0: contact.weight = {1, -s, -(1 - s) * t, -(1 - s) * (1 - t)}; break;
        case 1: contact.weight = {1 - s, s, t - 1, -t}; break;
        case 2: contact.weight = {1, 0, 0, -1}; break;
        default: // with a body
            contact.particle.fill(first);
            contact.weight = {1, 0, 0, 0};
            contact.carried = random.in_cube_float(0.01);
        }
        contact.normal = vector_cast<float>(random.direction());
        contact.distance = static_cast<float>(random.uniform(-0.05, 0.05));
        contact.friction = k % 5 == 0 ? 0 : 0.3f;
    }
    return heap;
}

std::size_t moving(const Contact& contact, std::span<const Vec4> x) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < 4; ++k) count += contact.weight[k] != 0 && x[contact.particle[k]].w > 0 ? 1 : 0;
    return count;
}

// What is held as a distance and a way.
Contact without_held(Contact contact, const Heap& heap) {
    for (std::size_t k = 0; k < 4; ++k) {
        const Index p = contact.particle[k];
        if (contact.weight[k] == 0 || heap.x[p].w > 0) continue;
        contact.distance -= contact.weight[k] * dot(contact.normal, heap.x[p].xyz());
        contact.carried -= (heap.x[p].xyz() - heap.x_prev[p].xyz()) * contact.weight[k];
        contact.weight[k] = 0;
    }
    return contact;
}

TEST(Contacts, WhatIsHeldIsADistanceAndAWay) {
    const Heap heap = make_heap(700);
    std::vector<Contact> contacts = heap.contacts, fixed;
    for (const Contact& contact : contacts) fixed.push_back(without_held(contact, heap));
    std::vector<Vec4> x = heap.x, x_of_fixed = x;
    EXPECT_NEAR(separate(contacts, heap.x_prev, x), separate(fixed, heap.x_prev, x_of_fixed), 2);
    for (Index p = 0; p <= particles; ++p)
        ASSERT_LT(length(x_of_fixed[p].xyz() - x[p].xyz()), 1e-5f) << "particle " << p;
}

TEST(ContactBlocks, DoTheSameAsOneAfterTheOther) {
    for (const std::size_t count : {1u, 8u, 40u, 700u}) {
        Heap heap = make_heap(count);
        // Those with one particle that moves come first, then those with two, ...
        std::stable_sort(heap.contacts.begin(), heap.contacts.end(),
                         [&](auto& a, auto& b) { return moving(a, heap.x) < moving(b, heap.x); });
        std::vector<Contact> contacts;
        for (const Contact& contact : heap.contacts) contacts.push_back(without_held(contact, heap));
        std::vector<Vec4> x = heap.x;
        int close = 0;
        for (int pass = 0; pass < 3; ++pass) close += separate(contacts, heap.x_prev, x);
        EXPECT_TRUE(close > 0 || count == 1);
        test::for_each_instruction_set([&](const std::string& set) {
            SCOPED_TRACE(set);
            std::vector<Vec4> x_of_blocks = heap.x;
            ContactBlocks blocks;
            for (int again = 0; again < 2; ++again) { // what was in them before is gone
                blocks.begin(heap.x, sentinel);
                blocks.add(std::span(heap.contacts).first(count / 2), heap.x_prev, heap.x);
                blocks.add(std::span(heap.contacts).subspan(count / 2), heap.x_prev, heap.x);
            }
            int close_of_blocks = 0;
            for (int pass = 0; pass < 3; ++pass) close_of_blocks += blocks.separate(heap.x_prev, x_of_blocks);
            EXPECT_EQ(close_of_blocks, close);
            ASSERT_EQ(blocks.count(), count);
            for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(blocks.push(k), contacts[k].push) << "contact " << k;
            for (Index p = 0; p <= particles; ++p) {
                ASSERT_EQ(x_of_blocks[p].xyz(), x[p].xyz()) << "particle " << p;
                ASSERT_EQ(x_of_blocks[p].w, x[p].w);
            }
        });
    }
}

TEST(ContactBlocks, AreFilled) {
    Heap heap = make_heap(700);
    for (Vec4& p : heap.x) p.w = 1;
    std::vector<Contact> apart = heap.contacts;
    for (Index k = 0; k < 15; ++k) { // 15 contacts without a common particle
        apart[k].particle = {4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3};
        apart[k].weight = {0.5f, 0.5f, -0.5f, -0.5f};
    }
    ContactBlocks blocks;
    blocks.begin(heap.x, sentinel);
    blocks.add(std::span(apart).first(15), heap.x_prev, heap.x);
    EXPECT_EQ(blocks.block_count(), 2u);
}

// Of each particle at most one contact, with a body.
TEST(ContactBlocks, AloneDoTheSameAsOneAfterTheOtherAndOnceIsEnough) {
    Heap heap = make_heap(800);
    std::vector<Contact> contacts;
    for (std::size_t k = 3; k < heap.contacts.size(); k += 4)
        if (std::none_of(contacts.begin(), contacts.end(),
                         [&](const Contact& other) { return other.particle == heap.contacts[k].particle; }))
            contacts.push_back(heap.contacts[k]);
    ASSERT_GT(contacts.size(), 40u);
    std::vector<Contact> expected = contacts;
    std::vector<Vec4> x = heap.x;
    EXPECT_GT(separate(expected, heap.x_prev, x), 10);
    test::for_each_instruction_set([&](const std::string& set) {
        for (const int threads : {1, 2, 8}) {
            SCOPED_TRACE(set + ", " + std::to_string(threads) + " threads");
            const Parallel parallel(threads);
            std::vector<Vec4> x_of_blocks = heap.x;
            ContactBlocks blocks;
            for (int again = 0; again < 2; ++again) { // what was in them before is gone
                blocks.begin(heap.x, sentinel);
                blocks.add_alone(contacts);
            }
            ASSERT_EQ(blocks.count(), contacts.size());
            EXPECT_EQ(blocks.block_count(), 0u);
            blocks.separate_alone(heap.x_prev, x_of_blocks, parallel);
            for (std::size_t k = 0; k < contacts.size(); ++k) ASSERT_EQ(blocks.push(k), expected[k].push);
            for (Index p = 0; p <= particles; ++p)
                ASSERT_LT(length(x_of_blocks[p].xyz() - x[p].xyz()), 1e-7f) << "particle " << p; // quotients by one
            const std::vector<Vec4> once = x_of_blocks;
            blocks.separate_alone(heap.x_prev, x_of_blocks, parallel);
            for (Index p = 0; p <= particles; ++p)
                ASSERT_LT(length(x_of_blocks[p].xyz() - once[p].xyz()), 1e-7f) << "particle " << p;
        }
    });
}

} // namespace
} // namespace taffeta
