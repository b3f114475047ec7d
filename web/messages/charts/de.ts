import { countingOf } from '../counting.ts'
import type { ChartTexts } from './en.ts'

const { count } = countingOf('de')

export const de: ChartTexts = {
  csv: 'CSV',
  png: 'PNG',
  saveAs: (format, title) => `${title}, als ${format}`,
  table: 'Tabelle',
  chart: 'Diagramm',
  tableOf: (title) => `${title}, als Tabelle`,
  from: 'Von',
  to: 'Bis',
  nothing: 'nichts',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  keys: 'Ziehen Sie über das Diagramm, um zu vergrößern. Mit Tasten: Pfeile gehen hindurch, Umschalt und Pfeile wählen, Enter vergrößert darauf, + und − vergrößern und verkleinern, Escape verkleinert.',
  chosen: (from, to) => `${from} bis ${to} gewählt`,
  rows: (from, to, all) => `${from} bis ${to} von ${all}`,
  earlier: 'Früher',
  later: 'Später',
  all: (total) => `Alle ${count(total, 'Eintrag', 'Einträge')}`,
  fewer: 'Nur die ersten',
  filter: 'In der Liste suchen',
  none: 'Nichts gefunden.',
  weekday: 'Tag',
  hour: 'Stunde',
  noHour: 'nicht gemessen',
}
