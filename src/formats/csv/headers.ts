import { DistinctNames } from '../../core/text/free-name.ts'
import type { FormatMessage } from '../format.ts'

/**
 * Creates column names from the header cells: empty and duplicate ones get a generated name, with a message
 * each.
 */
export function uniqueHeaders(cells: readonly string[], messages: FormatMessage[]): string[] {
  const names = new DistinctNames({ taken: cells, separator: '_', first: 2 })
  const seen = new Set<string>()
  return cells.map((cell, index) => {
    if (cell !== '' && !seen.has(cell)) {
      seen.add(cell)
      return cell
    }
    const name = names.take(cell === '' ? `field_${index + 1}` : cell)
    const what = cell === '' ? 'has no name' : `repeats the name "${cell}"`
    messages.push({
      level: 'warning',
      code: cell === '' ? 'empty-header' : 'repeated-header',
      message: `Column ${index + 1} ${what}: it is called "${name}"`,
    })
    return name
  })
}
