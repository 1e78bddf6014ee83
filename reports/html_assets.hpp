#pragma once

#include <string_view>

namespace plumb {

// Files embedded at build time by cmake/embed.cmake.
extern const std::string_view kHtmlPage;  // html_page.html: a template with {{fields}}
extern const std::string_view kHtmlCss;   // html_page.css
extern const std::string_view kHtmlJs;    // html_page.js
extern const std::string_view kChartJs;   // Debian's libjs-chart.js, chart.min.js

}  // namespace plumb
