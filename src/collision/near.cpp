#include "collision/near.h"

#include <array>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/near.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/particles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

// Blocks in a row have particles in common and wait for each other, so the two halves of the list take turns.
HWY_INLINE std::size_t block_of_turn(std::size_t turn, std::size_t blocks) {
    return turn % 2 == 0 ? turn / 2 : (blocks + 1) / 2 + turn / 2;
}

constexpr float tiny = 1e-30f; // a denominator not above it: coincident particles or both held, there is nothing to do

#if HWY_TARGET == HWY_SCALAR

// For machines without vectors, and for readers: the vector form does the same to eight at once.
int separate_blocks(const NearList& list, Vec4* x) {
    constexpr std::size_t size = NearList::block;
    int contacts = 0;
    for (std::size_t turn = 0; turn < list.blocks; ++turn) {
        const std::size_t block = block_of_turn(turn, list.blocks);
        Vec4& i = x[list.owner[block]];
        const Index* particle = list.particle.data() + size * block;
        const float* distance = list.distance.data() + size * block;
        std::array<float, size> squared;
        int close = 0;
        for (std::size_t k = 0; k < size; ++k) {
            const Vec3 d = x[particle[k]].xyz() - i.xyz();
            squared[k] = d.x * d.x + d.y * d.y + d.z * d.z;
            close += static_cast<int>(squared[k] < distance[k] * distance[k]);
        }
        if (close == 0) continue;
        contacts += close;
        std::array<Vec3, size> pull = {}; // of each pair on the owner, [FGL03] Eq. 5-9 with d_min
        std::array<float, size> squares = {}, weighted = {};
        for (std::size_t k = 0; k < size; ++k) {
            const float both = i.w + x[particle[k]].w, now = std::sqrt(squared[k]), denominator = now * both;
            if (!(squared[k] < distance[k] * distance[k]) || !(denominator > tiny)) continue;
            const float way = (now - distance[k]) / denominator;
            pull[k] = (x[particle[k]].xyz() - i.xyz()) * way;
            squares[k] = way * way * squared[k];
            weighted[k] = squares[k] * both;
        }
        const auto sum = [](const std::array<float, size>& v) { // in the order of the vector form
            return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
        };
        std::array<Vec3, 4> halves;
        for (std::size_t k = 0; k < 4; ++k) halves[k] = pull[k] + pull[k + 4];
        const Vec3 all = (halves[0] + halves[1]) + (halves[2] + halves[3]);
        const float together = (all.x * all.x + all.z * all.z) + all.y * all.y;
        const float numerator = sum(weighted), denominator = numerator + i.w * (together - sum(squares));
        const float length = denominator > tiny ? numerator / denominator : 0.0f;
        for (std::size_t k = 0; k < size; ++k) {
            Vec4& j = x[particle[k]];
            if (&j != &i) j.set_xyz(j.xyz() - pull[k] * (length * j.w));
        }
        i.set_xyz(i.xyz() + all * (length * i.w));
    }
    return contacts;
}

#else

constexpr std::size_t halves = HWY_MAX_BYTES >= 32 ? 1 : 2; // vectors to a block

// Lane k of the sum is lane k + lane k + 4.
HWY_INLINE hn::Vec<One> sum_of_halves(const std::array<V, halves>& v) {
#if HWY_MAX_BYTES >= 32
    return hn::Add(hn::LowerHalf(One(), v[0]), hn::UpperHalf(One(), v[0]));
#else
    return hn::Add(v[0], v[1]);
#endif
}

HWY_INLINE V repeat(const hn::Vec<One> v) {
#if HWY_MAX_BYTES >= 32
    return hn::Combine(Lanes(), v, v);
#else
    return v;
#endif
}

// In every lane; in an order that does not depend on the instruction set.
HWY_INLINE hn::Vec<One> sum_of_lanes(const hn::Vec<One> v) {
    const hn::Vec<One> halves_added = hn::Add(v, hn::Shuffle1032(v));
    return hn::Add(halves_added, hn::Shuffle2301(halves_added));
}

int separate_blocks(const NearList& list, Vec4* HWY_RESTRICT x) {
    const Lanes d;
    const One one;
    constexpr std::size_t size = NearList::block;
    std::size_t contacts = 0;
    for (std::size_t turn = 0; turn < list.blocks; ++turn) {
        const std::size_t block = block_of_turn(turn, list.blocks);
        for (std::size_t k = 0; k < size; ++k) hwy::Prefetch(x + list.particle[size * (block + NearList::ahead) + k]);
        Vec4& owner = x[list.owner[block]];
        const hn::Vec<One> at = hn::Load(one, &owner.x);
        const float owner_w = owner.w;
        const Index* particle = list.particle.data() + size * block;
        const V ix = hn::Set(d, owner.x), iy = hn::Set(d, owner.y), iz = hn::Set(d, owner.z), iw = hn::Set(d, owner_w);
        std::array<Particles, halves> j;
        std::array<V, halves> dx, dy, dz, squared, distance;
        std::size_t close = 0;
        for (std::size_t k = 0; k < halves; ++k) {
            j[k] = load(x, particle + 4 * k);
            dx[k] = hn::Sub(j[k].x, ix), dy[k] = hn::Sub(j[k].y, iy), dz[k] = hn::Sub(j[k].z, iz);
            squared[k] = hn::Add(hn::Add(hn::Mul(dx[k], dx[k]), hn::Mul(dy[k], dy[k])), hn::Mul(dz[k], dz[k]));
            distance[k] = hn::LoadU(d, list.distance.data() + size * block + 4 * k);
            close += hn::CountTrue(d, hn::Lt(squared[k], hn::Mul(distance[k], distance[k])));
        }
        if (close == 0) continue;
        contacts += close;

        // The way of each pair on its own, [FGL03] Eq. 5-9 with d_min, and how far to go on all of them together.
        std::array<V, halves> way, pull_x, pull_y, pull_z, squares, weighted;
        for (std::size_t k = 0; k < halves; ++k) {
            const V now = hn::Sqrt(squared[k]);
            const V both = hn::Add(iw, j[k].w), denominator = hn::Mul(now, both);
            const auto is_close = hn::Lt(squared[k], hn::Mul(distance[k], distance[k]));
            way[k] = hn::IfThenElseZero(hn::And(is_close, hn::Gt(denominator, hn::Set(d, tiny))),
                                        hn::Div(hn::Sub(now, distance[k]), denominator));
            pull_x[k] = hn::Mul(way[k], dx[k]), pull_y[k] = hn::Mul(way[k], dy[k]), pull_z[k] = hn::Mul(way[k], dz[k]);
            squares[k] = hn::Mul(hn::Mul(way[k], way[k]), squared[k]);
            weighted[k] = hn::Mul(squares[k], both);
        }
        auto all = sum_of_halves(pull_x), r1 = sum_of_halves(pull_y), r2 = sum_of_halves(pull_z), r3 = hn::Zero(one);
        transpose(one, all, r1, r2, r3);
        all = hn::Add(hn::Add(all, r1), hn::Add(r2, r3));
        const auto numerator = sum_of_lanes(sum_of_halves(weighted));
        const auto excess = hn::Sub(sum_of_lanes(hn::Mul(all, all)), sum_of_lanes(sum_of_halves(squares)));
        const auto denominator = hn::Add(numerator, hn::Mul(hn::Set(one, owner_w), excess));
        const auto length =
            hn::IfThenElseZero(hn::Gt(denominator, hn::Set(one, tiny)), hn::Div(numerator, denominator));

        for (std::size_t k = 0; k < halves; ++k) {
            const V scale = hn::Mul(repeat(length), j[k].w);
            j[k].x = hn::Sub(j[k].x, hn::Mul(scale, pull_x[k]));
            j[k].y = hn::Sub(j[k].y, hn::Mul(scale, pull_y[k]));
            j[k].z = hn::Sub(j[k].z, hn::Mul(scale, pull_z[k]));
            store(j[k], x, particle + 4 * k);
        }
        // After the others: places without a particle have stored the owner where it was.
        hn::Store(hn::Add(at, hn::Mul(all, hn::Mul(length, hn::Set(one, owner_w)))), one, &owner.x);
    }
    return static_cast<int>(contacts);
}

#endif

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(separate_blocks);

void NearList::grow(std::size_t count) {
    const std::size_t room = std::bit_ceil(2 * (blocks + count + ahead));
    owner.resize(room);
    particle.resize(block * room);
    distance.resize(block * room);
}

int separate(const NearList& list, std::span<Vec4> x) {
    return HWY_DYNAMIC_DISPATCH(separate_blocks)(list, x.data());
}

} // namespace taffeta
#endif
