import { countingOf } from '../counting.ts'
import type { BatchTexts } from './batch-en.ts'

const { count, number } = countingOf('de')

export const batchDe: BatchTexts = {
  shownLayers: 'Gezeigte Layer',
  views: {
    all: (value) => `Alle ${number(value)}`,
    decide: (value) => `Offen ${number(value)}`,
    ready: (value) => `Bereit ${number(value)}`,
    failed: (value) => `Gescheitert ${number(value)}`,
    done: (value) => `Fertig ${number(value)}`,
  },
  search: 'Layer suchen',
  noneShown: 'Kein Layer ist so.',
  keysHint: 'J und K gehen durch die Layer.',
  layers: (value) => count(value, 'Layer', 'Layer'),
  withRejected: (state, value) => `${state}, ${count(value, 'Zeile', 'Zeilen')} beiseitegelegt`,
  loadedOf: (value, all) => `${number(value)} von ${count(all, 'Layer', 'Layer')} geladen.`,
}
