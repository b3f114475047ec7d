import { countingOf } from '../../counting.ts'

const { count, number } = countingOf('en')

export const en = {
  filter: 'Filter',
  add: 'Filter rows',
  more: 'Add a condition',
  hint: 'Rows that meet all conditions, on the map and in the table.',
  column: 'Column',
  sign: 'Comparison',
  value: 'Value',
  signs: {
    '=': 'is',
    '<>': 'is not',
    '<': 'is less than',
    '<=': 'is at most',
    '>': 'is more than',
    '>=': 'is at least',
    contains: 'contains',
    begins: 'begins with',
    empty: 'is empty',
    filled: 'is not empty',
  },
  truth: { true: 'yes', false: 'no' },
  remove: (column: string) => `Remove the condition on ${column}`,
  apply: 'Apply',
  clear: 'Show all rows',
  asText: 'As CQL2',
  text: 'Filter in CQL2',
  textHint: "The filter as CQL2 text, such as name LIKE 'a%' OR height > 100.",
  found: (value: number) => `${count(value, 'row', 'rows')} found`,
  partOnMap: (shown: number, all: number) =>
    `The map shows the first ${number(shown)} of ${number(all)} rows. Narrow the filter to see all of them.`,
  noneFound: 'No row meets the filter.',
}

export type LayerFilterTexts = typeof en
