import { countingOf } from '../counting.ts'
import type { BatchTexts } from './batch-en.ts'

const { count, number } = countingOf('de')

export const batchDe: BatchTexts = {
  shownLayers: 'Gezeigte Ebenen',
  views: {
    all: (value) => `Alle ${number(value)}`,
    decide: (value) => `Offen ${number(value)}`,
    ready: (value) => `Bereit ${number(value)}`,
    failed: (value) => `Gescheitert ${number(value)}`,
    done: (value) => `Fertig ${number(value)}`,
  },
  search: 'Ebene suchen',
  noneShown: 'Keine Ebene ist so.',
  keysHint: 'J und K gehen durch die Ebenen.',
  layers: (value) => count(value, 'Ebene', 'Ebenen'),
  withRejected: (state, value) => `${state}, ${count(value, 'Zeile', 'Zeilen')} beiseitegelegt`,
  loadedOf: (value, all) => `${number(value)} von ${count(all, 'Ebene', 'Ebenen')} geladen.`,
}
