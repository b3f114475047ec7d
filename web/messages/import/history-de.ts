import { countingOf } from '../counting.ts'
import type { HistoryTexts } from './history-en.ts'

const { count, number } = countingOf('de')

export const historyDe: HistoryTexts = {
  title: 'Importe',
  search: 'Namen, Dateien, Layer und Meldungen suchen',
  state: 'Zustand',
  who: 'Von wem',
  anyState: 'Jeder Zustand',
  anybody: 'Alle',
  from: 'Von',
  to: 'Bis',
  clear: 'Alle zeigen',
  total: (value) => count(value, 'Import', 'Importe'),
  list: 'Importe, die neuesten zuerst',
  noneFound: 'Kein Import ist so.',
  column: {
    what: 'Was',
    state: 'Zustand',
    rows: 'Zeilen',
    output: 'Meldungen',
    who: 'Von wem',
    when: 'Wann',
  },
  layersOf: (first, more) => (more > 0 ? `${first} und ${number(more)} weitere` : first),
  setAside: (value) => `${number(value)} beiseitegelegt`,
  moreStated: (value) => `und ${number(value)} weitere`,
  messages: 'Meldungen zum Import',
  withCount: (text, value) => `${text} (${number(value)})`,
}
