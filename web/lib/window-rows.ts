/** Rows to draw of many, and the space before and after them. */
export interface Drawn {
  first: number
  /** Behind the last. */
  end: number
  before: number
  behind: number
}

export interface Sizes {
  rows: number
  rowHeight: number
  /** Scroll position, from the upper edge of the list. */
  scrolled: number
  height: number
  /** Rows that are drawn beyond what is in sight, on each side. */
  beyond: number
  /** Maximum height of an element in browsers, about 16 million pixels. */
  maxHeight: number
}

/**
 * Returns the visible rows. A list higher than a browser's maximum is scaled: its scroll bar covers
 * `maxHeight`, and shows the row at the same share of the list.
 */
export function drawnRows({ rows, rowHeight, scrolled, height, beyond, maxHeight }: Sizes): Drawn {
  const whole = rows * rowHeight
  const shown = Math.min(whole, maxHeight)
  const share = shown > height ? Math.min(1, Math.max(0, scrolled) / (shown - height)) : 0
  const top = whole > shown ? share * (whole - height) : Math.max(0, scrolled)
  const inSight = Math.ceil(height / rowHeight) + 1
  const at = Math.min(Math.max(0, rows - 1), Math.floor(top / rowHeight))
  const first = Math.max(0, at - beyond)
  const end = Math.min(rows, at + inSight + beyond)
  // Drawn rows are at the scroll position, whatever the scale.
  const before = whole > shown ? Math.max(0, scrolled - (top - first * rowHeight)) : first * rowHeight
  return { first, end, before, behind: Math.max(0, shown - before - (end - first) * rowHeight) }
}
