import { countingOf } from '../counting.ts'
import type { LayerTexts } from './en.ts'

const { count, number } = countingOf('de')

const versionCauses = new Map([
  ['import', 'importiert'],
  ['restore', 'zurückgeholt'],
  ['edit', 'bearbeitet'],
  ['style', 'Stil oder Titel geändert'],
  ['outside', 'von einem anderen Programm geändert'],
  ['delete', 'gelöscht'],
])

export const de: LayerTexts = {
  map: 'Karte der Ebene',
  style: 'Stil',
  versions: 'Versionen',
  rows: (value: number) => count(value, 'Zeile', 'Zeilen'),
  causes: (cause: string) => versionCauses.get(cause) ?? cause,
  now: 'jetzt',
  putBack: 'Zurückholen',
  restored: (version: number) => `Version ${version} ist zurück, als neue.`,
  table: 'Tabelle',
  row: 'Zeile',
  tableRows: 'Zeilen; Pfeiltasten wählen eine',
  chosenRow: (row: number) => `Zeile ${number(row)} ist gewählt.`,
  onlyInSight: 'Nur was die Karte zeigt',
  inSight: (value: number) => `${count(value, 'Zeile', 'Zeilen')} im Bild`,
  noRows: 'Die Ebene hat keine Zeilen.',
  noneInSight:
    'Keine Zeile liegt in dem, was die Karte zeigt. Verschieben Sie die Karte oder zeigen Sie alle Zeilen.',
}
