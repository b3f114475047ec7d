/**
 * Formats rows as a text table, columns as wide as their widest cell; columns named in `right` are
 * right-aligned.
 */
export function textTable(head: string[], rows: string[][], right: string[] = []): string {
  const widths = head.map((title, at) => Math.max(...[head, ...rows].map((row) => width(row[at] ?? title))))
  const line = (cells: string[]): string =>
    cells
      .map((cell, at) => pad(cell, widths[at] ?? 0, right.includes(head[at] ?? '')))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((size) => '-'.repeat(size))), ...rows.map(line)].join('\n')
}

function pad(text: string, size: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, size - width(text)))
  return isRight ? blanks + text : text + blanks
}

function width(text: string): number {
  return [...text].length
}
