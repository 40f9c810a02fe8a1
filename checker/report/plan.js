// What a pointer or the arrow keys ask for: which pass a block of a timeline is. Without it nothing is missing.
(() => {
  "use strict";
  const words = (block) => {
    const stage = Number(block.parentNode.dataset.stage) + 1;
    const pass = block.classList.contains("forward") ? "forward" : "backward";
    const chunk = block.dataset.chunk ? `, chunk ${Number(block.dataset.chunk) + 1}` : "";
    return `stage ${stage}: ${pass} pass of micro-batch ${block.dataset.batch}${chunk}, slots ${block.dataset.begin} to ${block.dataset.end}`;
  };
  for (const drawing of document.querySelectorAll(".timeline")) {
    const reading = drawing.closest("section").querySelector(".reading");
    const rows = [...drawing.querySelectorAll("[data-row]")].map((row) => [...row.querySelectorAll("[data-slot]")]);
    let at = null;
    const point = (block) => {
      if (at) at.classList.remove("pointed");
      at = block;
      if (at) at.classList.add("pointed");
      reading.textContent = at ? words(at) : "";
    };
    drawing.addEventListener("pointermove", (event) => {
      const block = event.target.closest("[data-slot]");
      if (block && block !== at) point(block);
    });
    drawing.addEventListener("keydown", (event) => {
      let row = rows.findIndex((blocks) => blocks.includes(at));
      let slot = row < 0 ? 0 : rows[row].indexOf(at);
      if (event.key === "ArrowRight") slot += row < 0 ? 0 : 1;
      else if (event.key === "ArrowLeft") slot -= 1;
      else if (event.key === "ArrowDown") row += 1;
      else if (event.key === "ArrowUp") row -= 1;
      else if (event.key === "Escape") return point(null);
      else return;
      event.preventDefault();
      row = Math.min(Math.max(row, 0), rows.length - 1);
      point(rows[row][Math.min(Math.max(slot, 0), rows[row].length - 1)]);
    });
  }
})();
