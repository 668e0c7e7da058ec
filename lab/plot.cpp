#include "lab/plot.h"

#include "lab/rig.h"

#include <taffeta/lab.h>

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

namespace taffeta::lab {
namespace {

struct Ink {
    double red = 0, green = 0, blue = 0;
};
constexpr Ink paper = {1, 1, 1}, text_ink = {0.16, 0.18, 0.21}, axis_ink = {0.45, 0.48, 0.52},
              grid_ink = {0.90, 0.91, 0.93}, cloth_ink = {0.36, 0.50, 0.63}, disc_ink = {0.78, 0.36, 0.22};
// Told apart by people who see fewer colours too (Okabe and Ito).
constexpr std::array<Ink, 6> inks = {{{0.00, 0.45, 0.70},
                                      {0.84, 0.37, 0.00},
                                      {0.00, 0.62, 0.45},
                                      {0.80, 0.47, 0.65},
                                      {0.90, 0.62, 0.00},
                                      {0.34, 0.71, 0.91}}};

struct Rectangle {
    double left = 0, top = 0, width = 0, height = 0;
};

class Canvas {
public:
    Canvas(int width, int height)
        : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)),
          context_(cairo_create(surface_.get())), width_(width), height_(height) {
        ink(paper);
        cairo_paint(context());
        cairo_select_font_face(context(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_line_join(context(), CAIRO_LINE_JOIN_ROUND);
    }

    cairo_t* context() const { return context_.get(); }
    void ink(const Ink& c, double opacity = 1) const {
        cairo_set_source_rgba(context(), c.red, c.green, c.blue, opacity);
    }
    void line(double x0, double y0, double x1, double y1, double thickness) const {
        cairo_set_line_width(context(), thickness);
        cairo_move_to(context(), x0, y0);
        cairo_line_to(context(), x1, y1);
        cairo_stroke(context());
    }
    double text_width(const std::string& text, double size) const {
        cairo_set_font_size(context(), size);
        cairo_text_extents_t extents;
        cairo_text_extents(context(), text.c_str(), &extents);
        return extents.x_advance;
    }
    // `anchor`: which share of the text's width lies left of x. The baseline is at y.
    void text(const std::string& words, double x, double y, double size, double anchor) const {
        const double width = text_width(words, size);
        cairo_move_to(context(), x - anchor * width, y);
        cairo_show_text(context(), words.c_str());
    }

    Result<io::Image> image() const {
        cairo_surface_flush(surface_.get());
        if (cairo_status(context()) != CAIRO_STATUS_SUCCESS)
            return Fault{.message = std::string("the plot cannot be drawn: ") +
                                    cairo_status_to_string(cairo_status(context()))};
        io::Image image = {width_, height_, {}};
        image.rgb.reserve(3 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
        const unsigned char* data = cairo_image_surface_get_data(surface_.get());
        const int stride = cairo_image_surface_get_stride(surface_.get());
        for (int row = 0; row < height_; ++row) {
            for (int column = 0; column < width_; ++column) {
                // 32 bits in the order of the machine, which is little-endian: blue, green, red.
                const unsigned char* pixel = data + row * stride + 4 * column;
                image.rgb.insert(image.rgb.end(), {pixel[2], pixel[1], pixel[0]});
            }
        }
        return image;
    }

private:
    struct Free {
        void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
        void operator()(cairo_t* context) const { cairo_destroy(context); }
    };
    std::unique_ptr<cairo_surface_t, Free> surface_;
    std::unique_ptr<cairo_t, Free> context_;
    int width_, height_;
};

// One axis: values to pixels.
struct Axis {
    double low = 0, high = 1; // values, or their logarithms
    double from = 0, to = 1;  // pixels
    bool logarithmic = false;

    double value_low() const { return logarithmic ? std::pow(10, low) : low; }
    double value_high() const { return logarithmic ? std::pow(10, high) : high; }
    double operator()(double value) const {
        const double v = logarithmic ? std::log10(value) : value;
        return from + (v - low) / (high - low) * (to - from);
    }
};

bool can_be_drawn(const Plot& plot, const std::array<double, 2>& p) {
    return std::isfinite(p[0]) && std::isfinite(p[1]) && (!plot.logarithmic_x || p[0] > 0) &&
           (!plot.logarithmic_y || p[1] > 0);
}

Axis range_of(const Plot& plot, std::size_t coordinate, bool logarithmic) {
    Axis axis = {.low = 0, .high = 0, .logarithmic = logarithmic};
    bool any = false;
    for (const Curve& curve : plot.curves) {
        for (const auto& p : curve.points) {
            if (!can_be_drawn(plot, p)) continue;
            const double value = logarithmic ? std::log10(p[coordinate]) : p[coordinate];
            axis.low = any ? std::min(axis.low, value) : value;
            axis.high = any ? std::max(axis.high, value) : value;
            any = true;
        }
    }
    const double spread = axis.high - axis.low;
    const double margin = spread > 0 ? 0.05 * spread : 0.5;
    axis.low -= margin;
    axis.high += margin;
    return axis;
}

// A metre as long both ways: the axis that has room to spare shows more.
void equalize(Axis& x, Axis& y) {
    const double scale =
        std::min(std::abs(x.to - x.from) / (x.high - x.low), std::abs(y.to - y.from) / (y.high - y.low));
    for (Axis* axis : {&x, &y}) {
        const double middle = (axis->low + axis->high) / 2, half = std::abs(axis->to - axis->from) / scale / 2;
        axis->low = middle - half;
        axis->high = middle + half;
    }
}

void draw_axes(const Canvas& canvas, const Plot& plot, const Axis& x, const Axis& y) {
    constexpr double size = 15;
    for (const double value : ticks(x.value_low(), x.value_high(), 8, x.logarithmic)) {
        canvas.ink(grid_ink);
        canvas.line(x(value), y.from, x(value), y.to, 1);
        canvas.ink(text_ink);
        canvas.text(number_text(value), x(value), y.from + 22, size, 0.5);
    }
    for (const double value : ticks(y.value_low(), y.value_high(), 7, y.logarithmic)) {
        canvas.ink(grid_ink);
        canvas.line(x.from, y(value), x.to, y(value), 1);
        canvas.ink(text_ink);
        canvas.text(number_text(value), x.from - 8, y(value) + 5, size, 1);
    }
    canvas.ink(axis_ink);
    canvas.line(x.from, y.from, x.to, y.from, 1.5);
    canvas.line(x.from, y.from, x.from, y.to, 1.5);
    canvas.ink(text_ink);
    canvas.text(plot.x_label, (x.from + x.to) / 2, y.from + 50, 16, 0.5);
    cairo_save(canvas.context());
    cairo_translate(canvas.context(), x.from - 70, (y.from + y.to) / 2);
    cairo_rotate(canvas.context(), -std::numbers::pi / 2);
    canvas.text(plot.y_label, 0, 0, 16, 0.5);
    cairo_restore(canvas.context());
}

// A line and the marks that belong to it have one colour: the k-th line and the k-th marks.
std::vector<Ink> inks_of(const Plot& plot) {
    std::vector<Ink> chosen;
    std::size_t lines = 0, marks = 0;
    for (const Curve& curve : plot.curves)
        chosen.push_back(inks[(curve.style == Curve::Style::marks ? marks++ : lines++) % inks.size()]);
    return chosen;
}

void draw_curve(const Canvas& canvas, const Plot& plot, const Curve& curve, const Ink& ink, const Axis& x,
                const Axis& y) {
    canvas.ink(ink, curve.style == Curve::Style::line ? 0.75 : 1);
    if (curve.style != Curve::Style::marks) {
        cairo_set_line_width(canvas.context(), 2.2);
        bool down = false;
        for (const auto& p : curve.points) {
            if (!can_be_drawn(plot, p)) {
                down = false;
                continue;
            }
            (down ? cairo_line_to : cairo_move_to)(canvas.context(), x(p[0]), y(p[1]));
            down = true;
        }
        cairo_stroke(canvas.context());
    }
    if (curve.style == Curve::Style::line) return;
    for (const auto& p : curve.points) {
        if (!can_be_drawn(plot, p)) continue;
        cairo_new_sub_path(canvas.context());
        cairo_arc(canvas.context(), x(p[0]), y(p[1]), 5, 0, 2 * std::numbers::pi);
        canvas.ink(paper);
        cairo_fill_preserve(canvas.context());
        canvas.ink(ink);
        cairo_set_line_width(canvas.context(), 2);
        cairo_stroke(canvas.context());
    }
}

void draw_legend(const Canvas& canvas, const Plot& plot, const std::vector<Ink>& chosen, double left, double top) {
    constexpr double size = 14, line = 22;
    for (std::size_t k = 0; k < plot.curves.size(); ++k) {
        const Curve& curve = plot.curves[k];
        const double y = top + line * static_cast<double>(k);
        canvas.ink(chosen[k]);
        if (curve.style != Curve::Style::marks) canvas.line(left, y, left + 26, y, 2.2);
        if (curve.style != Curve::Style::line) {
            cairo_new_sub_path(canvas.context());
            cairo_arc(canvas.context(), left + 13, y, 5, 0, 2 * std::numbers::pi);
            canvas.ink(paper);
            cairo_fill_preserve(canvas.context());
            canvas.ink(chosen[k]);
            cairo_set_line_width(canvas.context(), 2);
            cairo_stroke(canvas.context());
        }
        canvas.ink(text_ink);
        canvas.text(curve.label, left + 36, y + 5, size, 0);
    }
}

void draw_plot_in(const Canvas& canvas, const Plot& plot, const Rectangle& place) {
    double legend = 0;
    for (const Curve& curve : plot.curves) legend = std::max(legend, canvas.text_width(curve.label, 14));
    Axis x = range_of(plot, 0, plot.logarithmic_x), y = range_of(plot, 1, plot.logarithmic_y);
    x.from = place.left + 105;
    x.to = place.left + place.width - legend - 75; // the legend stands beside, where it hides nothing
    y.from = place.top + place.height - 75;
    y.to = place.top + 65;
    if (plot.equal_scales) equalize(x, y);

    canvas.ink(text_ink);
    canvas.text(plot.title, x.from, place.top + 38, 21, 0);
    draw_axes(canvas, plot, x, y);
    const std::vector<Ink> chosen = inks_of(plot);
    cairo_save(canvas.context());
    cairo_rectangle(canvas.context(), x.from - 6, y.to - 6, x.to - x.from + 12, y.from - y.to + 12);
    cairo_clip(canvas.context());
    for (std::size_t k = 0; k < plot.curves.size(); ++k) draw_curve(canvas, plot, plot.curves[k], chosen[k], x, y);
    cairo_restore(canvas.context());
    draw_legend(canvas, plot, chosen, x.to + 25, y.to + 10);
}

void draw_shadow(const Canvas& canvas, const Shadow& shadow, const Rectangle& place) {
    const double middle_x = place.left + place.width / 2, middle_y = place.top + (place.height - 30) / 2;
    const double scale = 0.46 * std::min(place.width, place.height - 30) / shadow.specimen_radius;
    const auto circle = [&](double radius) {
        cairo_new_sub_path(canvas.context());
        cairo_arc(canvas.context(), middle_x, middle_y, radius * scale, 0, 2 * std::numbers::pi);
    };
    canvas.ink(grid_ink);
    circle(shadow.specimen_radius);
    cairo_fill(canvas.context());
    // One path with all triangles turned the same way: what overlaps stays one shadow, and no seams show.
    for (const auto& [a, b, c] : shadow.triangles) {
        const bool turned = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0;
        const auto to = [&](const std::array<double, 2>& p, auto move) {
            move(canvas.context(), middle_x + scale * p[0], middle_y + scale * p[1]);
        };
        to(a, cairo_move_to);
        to(turned ? c : b, cairo_line_to);
        to(turned ? b : c, cairo_line_to);
        cairo_close_path(canvas.context());
    }
    circle(shadow.disc_radius);
    canvas.ink(cloth_ink);
    cairo_fill_preserve(canvas.context());
    cairo_set_line_width(canvas.context(), 0.5);
    cairo_stroke(canvas.context());
    canvas.ink(disc_ink);
    cairo_set_line_width(canvas.context(), 1.5);
    circle(shadow.disc_radius);
    cairo_stroke(canvas.context());
    canvas.ink(text_ink);
    canvas.text(shadow.title, middle_x, place.top + place.height - 8, 13, 0.5);
}

} // namespace

std::vector<double> ticks(double low, double high, int count, bool logarithmic) {
    std::vector<double> found;
    if (logarithmic) {
        const bool few = std::log10(high / low) < 2.5;
        for (int p = static_cast<int>(std::floor(std::log10(low))); p <= static_cast<int>(std::ceil(std::log10(high)));
             ++p)
            for (const double m : {1.0, 2.0, 5.0}) {
                const double value = m * std::pow(10, p);
                if ((m == 1 || few) && value >= low && value <= high) found.push_back(value);
            }
        return found;
    }
    const double rough = (high - low) / std::max(count, 1);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double m : {5.0, 2.0, 1.0})
        if (m * power >= rough) step = m * power;
    for (double k = std::ceil(low / step); k * step <= high; ++k) found.push_back(k * step + 0.0); // no minus zero
    return found;
}

Result<io::Image> draw_plot(const Plot& plot, int width, int height) {
    const Canvas canvas(width, height);
    draw_plot_in(canvas, plot, {0, 0, static_cast<double>(width), static_cast<double>(height)});
    return canvas.image();
}

Result<io::Image> draw(const Report& report, int width, int height) {
    if (report.shadows.empty()) return draw_plot(report.plot, width, height);
    const double each = static_cast<double>(width) / static_cast<double>(report.shadows.size());
    const double top = std::min(each, height / 2.0) + 30;
    const Canvas canvas(width, height + static_cast<int>(top));
    for (std::size_t k = 0; k < report.shadows.size(); ++k)
        draw_shadow(canvas, report.shadows[k], {each * static_cast<double>(k), 10, each, top - 10});
    draw_plot_in(canvas, report.plot, {0, top, static_cast<double>(width), static_cast<double>(height)});
    return canvas.image();
}

} // namespace taffeta::lab
