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
  feature: 'Objekt',
  versions: 'Versionen',
  rows: (value: number) => count(value, 'Zeile', 'Zeilen'),
  causes: (cause: string) => versionCauses.get(cause) ?? cause,
  now: 'jetzt',
  putBack: 'Zurückholen',
  restored: (version: number) => `Version ${version} ist zurück, als neue.`,
  useItIn: 'Verwenden in',
  copy: 'Kopieren',
  qgis: 'Layer, Layer hinzufügen, WFS-/OGC-API-Features-Layer hinzufügen: eine neue Verbindung mit dieser Adresse.',
  table: 'Tabelle',
  shown: (from: number, to: number, all: number) => `${number(from)} bis ${number(to)} von ${number(all)}`,
  before: 'Zurück',
  after: 'Weiter',
}
