"use strict";
(() => {
  const specs = JSON.parse(document.getElementById("specs").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    const words = { labelColor: of("--quiet"), titleColor: of("--ink"), labelFontSize: 12, titleFontSize: 12 };
    return {
      background: "transparent",
      font: "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif",
      view: { stroke: "transparent" },
      axis: { ...words, gridColor: of("--line"), domainColor: of("--line"), tickColor: of("--line"), titleFontWeight: 500 },
      legend: { ...words, labelColor: of("--ink") },
      text: { color: of("--ink"), fill: of("--ink") },
    };
  };
  const draw = () => {
    for (const place of document.querySelectorAll("[data-chart]")) {
      const spec = structuredClone(specs[place.dataset.chart]);
      window.vegaEmbed(place, spec, { actions: false, renderer: "svg", config: theme(), tooltip: { theme: dark.matches ? "dark" : "light" } })
        .catch((error) => { place.textContent = `This chart could not be drawn: ${error.message}`; });
    }
  };
  draw();
  dark.addEventListener("change", draw);
})();
