// Loads the HTML report in headless Chromium, uses it as a person would, and checks the DOM.
// A program of its own: without Chromium it says so and exits 77.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/reporter.hpp"
#include "tests/reports/sample.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::string chromium() {
  const char* chosen = std::getenv("PLUMB_CHROMIUM");
  return chosen ? chosen : "/usr/bin/chromium";
}

struct Output {
  int status = -1;
  std::string out;
  std::string log;  // the browser's, with the page's errors
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Browser : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "report.html", std::ios::binary)
        << Registry<Reporter>::instance().find("html")->render(testing::sample_report());
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs the browser on a page of the folder, with these extra flags.
  Output open(const std::string& page, const std::string& flags) const {
    const fs::path out = folder_ / "out.txt", log = folder_ / "log.txt";
    const std::string command =
        "timeout 120 '" + chromium() +
        "' --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run"
        " --enable-logging=stderr --allow-file-access-from-files --virtual-time-budget=4000"
        " --user-data-dir='" +
        (folder_ / "profile").string() + "' " + flags + " 'file://" + (folder_ / page).string() +
        "' >'" + out.string() + "' 2>'" + log.string() + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(log)};
  }

  /// A page that holds the report in a frame of this width (a window is never below 500 px), runs
  /// `script` in it as an async function of (frame window, frame document, wait), and leaves what
  /// it returns in its own DOM.
  Json drive(int width, bool dark, const std::string& script) const {
    std::ofstream(folder_ / "drive.html")
        << "<body style='margin:0'><iframe id=f src=report.html style='border:0;width:" << width
        << "px;height:1600px'></iframe><script type=text/plain id=outcome></script><script>\n"
        << "f.onload = async () => {\n"
           "  const wait = () => new Promise((done) => setTimeout(done, 50));\n"
           "  const steps = async (w, d, wait) => {"
        << script
        << "};\n"
           "  let result;\n"
           "  try { await wait(); result = await steps(f.contentWindow, f.contentDocument, wait); "
           "}\n"
           "  catch (error) { result = { error: String(error.stack) }; }\n"
           "  outcome.textContent = JSON.stringify(result);\n"
           "};</script>";
    const Output run = open("drive.html", "--dump-dom --window-size=1280,1700" +
                                              std::string(dark ? " --force-dark-mode" : ""));
    EXPECT_EQ(run.status, 0) << run.log;
    EXPECT_EQ(run.log.find("Uncaught"), std::string::npos) << run.log;
    EXPECT_EQ(run.log.find("Refused to"), std::string::npos) << run.log;
    const std::string start = "id=\"outcome\">";
    const std::size_t from = run.out.find(start);
    if (from == std::string::npos) return {{"error", "no outcome in: " + run.out.substr(0, 2000)}};
    const std::size_t text = from + start.size();
    return Json::parse(run.out.substr(text, run.out.find("</script>", text) - text));
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("plumb-browser-" + std::to_string(getpid()));
};

TEST_F(Browser, LoadsWithoutNetworkErrorOrSidewaysScrolling) {
  for (const int width : {1280, 400}) {
    const Json page = drive(width, false, R"js(
      // Where things stand now, and once more when all timers and charts had their time.
      const tops = () => [...d.querySelectorAll("h1, h2, #controls, .row, canvas")]
          .map((e) => e.getBoundingClientRect().top);
      const settle = async () => {
        const before = tops();
        for (let i = 0; i < 10; ++i) await wait();
        return tops().filter((top, i) => top !== before[i]).length;
      };
      const cut = [...d.querySelectorAll("#heat tbody th")]
          .filter((e) => e.scrollWidth > e.clientWidth || e.clientHeight > 50).map((e) => e.textContent);
      const moved = [await settle()];
      [...d.querySelectorAll(".row .name")].find((e) => e.textContent === "fp16-no-scaler/faulty").click();
      moved.push(await settle());
      return {
        width: w.innerWidth,
        needed: d.documentElement.scrollWidth,
        requests: w.performance.getEntriesByType("resource").map((e) => e.name),
        moved,
        cut,
        title: d.title,
        rows: d.querySelectorAll(".row").length,
        first: d.querySelector(".row .badge").textContent,
        visible: d.querySelector("main").checkVisibility(),
      };)js");
    EXPECT_EQ(page["width"], width) << page;
    EXPECT_LE(page["needed"], width) << page;
    EXPECT_EQ(page["requests"], Json::array());
    EXPECT_EQ(page["moved"], Json::array({0, 0})) << page;
    EXPECT_EQ(page["cut"], Json::array());
    EXPECT_EQ(page["title"], "Plumbline: 4 of 22 results are not ok");
    EXPECT_EQ(page["rows"], 22);
    EXPECT_EQ(page["first"], "crashed");
    EXPECT_EQ(page["visible"], true);
  }
}

TEST_F(Browser, Filters) {
  const Json page = drive(1280, false, R"js(
    const rows = () => [...d.querySelectorAll(".row .name")].map((e) => e.textContent);
    const query = d.getElementById("query");
    const type = (text) => { query.value = text; query.dispatchEvent(new w.Event("input")); };
    const press = (target, key) =>
      target.dispatchEvent(new w.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const out = {};
    type("SOFTMAX f16"); out.words = rows();
    out.hash = w.location.hash;
    type("aten::bmm"); out.path = rows();
    type("no such thing"); out.nothing = rows();
    out.note = d.getElementById("shown").textContent;
    press(query, "Escape"); out.all = rows().length;
    d.getElementById("only-not-ok").click(); out.notOk = rows().length;
    out.pressed = d.getElementById("only-not-ok").getAttribute("aria-pressed");
    d.getElementById("only-not-ok").click();
    const chip = (name) => [...d.querySelectorAll("#chips button")].find((b) => b.firstChild.data === name);
    chip("hung").click(); chip("masked").click(); out.chips = rows();
    chip("hung").click(); chip("masked").click();
    query.blur(); press(d.body, "/"); out.focus = d.activeElement.id;
    [...d.querySelectorAll("#heat button")].find((b) => b.title.startsWith("softmax-no-max/fixed, float32")).click();
    out.cell = rows();
    out.cellNote = d.getElementById("shown").textContent;
    return out;)js");
  EXPECT_EQ(page["words"], Json::array({"softmax-no-max/fixed"})) << page;
  EXPECT_EQ(page["hash"], "#q=SOFTMAX+f16");
  EXPECT_EQ(page["path"], Json::array({"misaligned-sequence/faulty"}));
  EXPECT_EQ(page["nothing"], Json::array());
  EXPECT_EQ(page["note"], "0 of 22 results show all");
  EXPECT_EQ(page["all"], 22);
  EXPECT_EQ(page["notOk"], 4);
  EXPECT_EQ(page["pressed"], "true");
  EXPECT_EQ(page["chips"], Json::array({"planted-hung/faulty", "planted-masked/faulty"}));
  EXPECT_EQ(page["focus"], "query");
  EXPECT_EQ(page["cell"], Json::array({"softmax-no-max/fixed"}));
  EXPECT_EQ(page["cellNote"], "1 of 22 results, softmax-no-max/fixed in float32 show all");
}

TEST_F(Browser, OpensARowWithEvidenceChartsTablesAndReplay) {
  const Json page = drive(1280, false, R"js(
    const find = (name) => [...d.querySelectorAll(".row")].find((e) => e.querySelector(".name").textContent === name);
    const row = find("fp16-no-scaler/faulty");
    const before = row.children.length;
    row.querySelector("summary").click();
    await wait();
    const painted = (canvas) =>
      new Set(new w.Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
    const broken = find("softmax-no-max/fixed");
    broken.querySelector("summary").click();
    await wait();
    const facts = {};
    broken.querySelectorAll(".facts dt").forEach((dt) => { facts[dt.textContent] = dt.nextSibling.textContent; });
    return {
      before,
      open: row.open,
      status: row.querySelector(".verdict small").textContent,
      charts: [...row.querySelectorAll("figure")].map((e) => e.textContent),
      labels: [...row.querySelectorAll("canvas")].map((e) => e.getAttribute("aria-label")),
      colours: [...row.querySelectorAll("canvas")].map(painted),
      legend: w.Chart.getChart(row.querySelector("canvas")).data.datasets.map((set) => set.label),
      scales: [...row.querySelectorAll("canvas")].map((e) => w.Chart.getChart(e).scales.y.type),
      axes: [...row.querySelectorAll("canvas")].map((e) => ["x", "y"].map((id) => w.Chart.getChart(e).scales[id].options.title.text)),
      about: row.querySelector(".about").textContent,
      sources: [...row.querySelectorAll(".about a")].map((e) => e.href),
      table: [...row.querySelectorAll(".data tr")].map((tr) => [...tr.children].map((e) => e.textContent)),
      last: row.querySelector(".detail").lastChild.textContent,
      hash: w.location.hash,
      facts,
      message: broken.querySelector(".message").textContent,
      path: [...broken.querySelectorAll(".path li")].map((e) => e.textContent),
      replay: broken.querySelector(".replay pre").textContent,
    };)js");
  EXPECT_EQ(page["before"], 1) << page;
  EXPECT_EQ(page["open"], true);
  EXPECT_EQ(page["status"], "as expected");
  EXPECT_EQ(
      page["charts"],
      Json::array({"gradient norm by steplog scale; 15 exactly zero, not drawn, the first at 25",
                   "loss by step1 not finite, the first at 30"}));
  EXPECT_EQ(page["legend"], Json::array({"no scaler", "fp64"}));
  EXPECT_EQ(page["axes"], Json::array({Json::array({"step", "gradient norm, log scale"}),
                                       Json::array({"step", "loss"})}));
  EXPECT_THAT(page["about"].get<std::string>(), ::testing::StartsWith("What this scenario shows"));
  EXPECT_THAT(page["sources"][0].get<std::string>(),
              ::testing::MatchesRegex("https://github.com/.*/issues/[0-9]+"));
  EXPECT_EQ(page["scales"], Json::array({"logarithmic", "linear"}));
  for (const Json& colours : page["colours"]) EXPECT_GT(colours, 10);
  EXPECT_EQ(page["table"],
            Json::array({Json::array({"layer", "elements", "share of zeros", "largest"}),
                         Json::array({"embed|tokens", "36864", "0.75", "1.5e-7"}),
                         Json::array({"head", "512", "0", "inf"})}));
  EXPECT_EQ(
      page["last"],
      "Replay (in the folder where plumb ran, after source build/env)plumb run fp16-no-scaler "
      "--arm faulty --dtype float16copy");
  EXPECT_NE(page["hash"].dump().find("open=softmax-no-max"), std::string::npos);
  EXPECT_EQ(page["facts"]["r"], "31234 times the error bound (14.9 bits beyond it)");
  EXPECT_EQ(page["facts"]["worst element"], "output 0 [3, 17]");
  EXPECT_EQ(page["message"],
            "the small probabilities are lost: <b>0.0312</b> & \"0.0421\" | *expected*");
  EXPECT_EQ(page["path"], Json::array({"aten::exp", "aten::sum.dim_IntList", "aten::div.Tensor"}));
  EXPECT_EQ(page["replay"],
            "plumb run softmax-no-max --arm fixed --set 'x=\"a  b\"' --seed 18446744073709551615");
}

TEST_F(Browser, WhatHasOneCauseIsOneLineAndAWordStandsWhereRIsNotTheMatter) {
  const auto row = [](const char* id, const char* dtype, double severity) {
    return Result{.id = id,
                  .name = "softshrink",
                  .op = "aten::softshrink",
                  .dtype = dtype,
                  .verdict = Verdict::relation_broken,
                  .ok = false,
                  .where = "output 0, batch",
                  .severity = severity,
                  .r = 0.0};
  };
  std::ofstream(folder_ / "report.html", std::ios::binary)
      << Registry<Reporter>::instance().find("html")->render(
             {{}, {row("a", "float32", 1), row("b", "float16", 2), row("c", "bfloat16", 0)}});
  const Json page = drive(1280, false, R"js(
    const rows = (of) => [...d.querySelectorAll(`${of} > .row`)].map((e) => e.querySelector("summary").textContent);
    const out = { top: rows("#rows"), inside: rows(".others").length };
    out.heat = [...d.querySelectorAll("#heat button")].map((e) => e.textContent);
    out.note = d.getElementById("shown").textContent;
    d.querySelector("#rows > .row > summary").click();
    await wait();
    out.more = d.querySelector(".others h3").textContent;
    d.getElementById("query").value = "f32";
    d.getElementById("query").dispatchEvent(new w.Event("input"));
    out.filtered = rows("#rows").length + rows(".others").length;
    w.location.hash = "#open=c";
    await wait();
    out.opened = [...d.querySelectorAll(".row[open]")].length;
    return out;)js");
  EXPECT_EQ(page["top"].size(), 1u) << page;
  EXPECT_THAT(page["top"][0].get<std::string>(), ::testing::HasSubstr("×3"));
  EXPECT_THAT(page["top"][0].get<std::string>(), ::testing::HasSubstr("f16 f32 bf16"));
  EXPECT_EQ(page["inside"], 2);
  EXPECT_EQ(page["heat"], Json::array({"relation", "relation", "relation"}));
  EXPECT_EQ(page["note"], "3 results, in 1 line: one for what likely has one cause");
  EXPECT_EQ(page["more"], "2 more with the same operator, verdict and place");
  EXPECT_EQ(page["filtered"], 1);
  EXPECT_EQ(page["opened"], 2);
}

TEST_F(Browser, TheAddressKeepsTheState) {
  const Output run = open(
      "report.html#q=softmax&verdict=unstable&open=softmax-no-max%2Ffixed%2F"
      "aten%3A%3Asoftmax.int%2Feager%2Ffloat16%2Fcpu%2310111021",
      "--dump-dom");
  std::size_t rows = 0;
  for (std::size_t at = run.out.find("<details"); at != std::string::npos;
       at = run.out.find("<details", at + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, 1u);
  EXPECT_NE(run.out.find("<details class=\"row not-ok\" open=\"\">"), std::string::npos);
  EXPECT_NE(run.out.find("1 of 22 results"), std::string::npos);
}

/// WCAG AA: text at 4.5 to 1 against what is behind it.
TEST_F(Browser, TextIsLegibleInLightAndDark) {
  for (const bool dark : {false, true}) {
    const Json page = drive(1280, dark, R"js(
      d.querySelectorAll("summary")[2].click();
      await wait();
      const channels = (text) => {
        const [r, g, b, a = 1] = text.match(/[\d.]+(e-?\d+)?/g).map(Number);
        const scale = text.startsWith("color(") ? 255 : 1;
        return [r * scale, g * scale, b * scale, a];
      };
      const luminance = (c) => {
        const [r, g, b] = c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const behind = (e) => {
        for (; e; e = e.parentElement) {
          const c = channels(w.getComputedStyle(e).backgroundColor);
          if (c[3] === 1) return c;
        }
      };
      const poor = [];
      let looked = 0;
      for (const e of d.querySelectorAll("h1, h2, h3, p, dt, dd, b, button, small, .badge, summary span, th, td, li, pre")) {
        if (!e.textContent.trim() || !e.checkVisibility()) continue;
        looked += 1;
        const [x, y] = [luminance(channels(w.getComputedStyle(e).color)), luminance(behind(e))];
        const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
        if (ratio < 4.5) poor.push(`${e.tagName}.${e.className} "${e.textContent.slice(0, 20)}" ${ratio.toFixed(2)}`);
      }
      return { poor, looked, page: luminance(channels(w.getComputedStyle(d.body).backgroundColor)) };)js");
    EXPECT_EQ(page["poor"], Json::array()) << (dark ? "dark " : "light ") << page;
    EXPECT_GT(page["looked"], 200);
    if (dark) {
      EXPECT_LT(page["page"], 0.05);
    } else {
      EXPECT_GT(page["page"], 0.9);
    }
  }
}

/// For people to look at: screenshots/ in the working folder.
TEST_F(Browser, TakesScreenshots) {
  fs::create_directories("screenshots");
  for (const int width : {1280, 400}) {
    for (const bool dark : {false, true}) {
      const fs::path image = fs::absolute("screenshots") / ("report-" + std::to_string(width) +
                                                            (dark ? "-dark" : "-light") + ".png");
      fs::remove(image);
      std::ofstream(folder_ / "frame.html")
          << "<body style='margin:0;display:grid;justify-content:center'><iframe src=report.html "
             "style='border:0;height:1400px;width:"
          << width << "px'></iframe>";
      const Output run = open("frame.html", "--screenshot='" + image.string() +
                                                "' --window-size=" + std::to_string(width) +
                                                ",1400" + (dark ? " --force-dark-mode" : ""));
      EXPECT_EQ(run.status, 0) << run.log;
      EXPECT_EQ(text_of(image).substr(1, 3), "PNG") << image;
    }
  }
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  if (access(plumb::chromium().c_str(), X_OK) != 0) {
    std::cout << "skipped: " << plumb::chromium() << " is not there (Debian package chromium)\n";
    return 77;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
