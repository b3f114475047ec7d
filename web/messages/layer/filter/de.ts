import { countingOf } from '../../counting.ts'
import type { LayerFilterTexts } from './en.ts'

const { count, number } = countingOf('de')

export const de: LayerFilterTexts = {
  filter: 'Filter',
  add: 'Zeilen filtern',
  more: 'Bedingung hinzufügen',
  hint: 'Zeilen, für die alle Bedingungen gelten, auf der Karte und in der Tabelle.',
  column: 'Spalte',
  sign: 'Vergleich',
  value: 'Wert',
  signs: {
    '=': 'ist',
    '<>': 'ist nicht',
    '<': 'ist kleiner als',
    '<=': 'ist höchstens',
    '>': 'ist größer als',
    '>=': 'ist mindestens',
    contains: 'enthält',
    begins: 'beginnt mit',
    empty: 'ist leer',
    filled: 'ist nicht leer',
  },
  truth: { true: 'ja', false: 'nein' },
  remove: (column: string) => `Bedingung an ${column} entfernen`,
  apply: 'Anwenden',
  clear: 'Alle Zeilen zeigen',
  asText: 'Als CQL2',
  text: 'Filter in CQL2',
  textHint: "Der Filter, wie Programme ihn nehmen, etwa name LIKE 'a%' OR height > 100.",
  found: (value: number) => `${count(value, 'Zeile', 'Zeilen')} gefunden`,
  partOnMap: (shown: number, all: number) =>
    `Die Karte zeigt die ersten ${number(shown)} von ${number(all)} Zeilen. Ein engerer Filter zeigt sie alle.`,
  noneFound: 'Keine Zeile erfüllt den Filter.',
}
