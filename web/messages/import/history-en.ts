import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

export const historyEn = {
  title: 'Imports',
  search: 'Search names, files, layers and messages',
  state: 'State',
  who: 'By whom',
  anyState: 'Any state',
  anybody: 'Anybody',
  from: 'From',
  to: 'To',
  clear: 'Show all',
  total: (value: number) => count(value, 'import', 'imports'),
  list: 'Imports, the newest first',
  noneFound: 'No import is like that.',
  column: { what: 'What', state: 'State', rows: 'Rows', output: 'Messages', who: 'By whom', when: 'When' },
  layersOf: (first: string, more: number) => (more > 0 ? `${first} and ${number(more)} more` : first),
  setAside: (value: number) => `${number(value)} rejected`,
  moreStated: (value: number) => `and ${number(value)} more`,
  messages: 'Messages about the import',
  withCount: (text: string, value: number) => `${text} (${number(value)})`,
}

export type HistoryTexts = typeof historyEn
