function toCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of CSV (RFC 4180) with its end: cells in quotes where they need them. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}
