import { countingOf } from '../counting.ts'
import type { EndTexts } from './en.ts'

const { count, number } = countingOf('de')

const reasons = new Map([
  ['row-not-read', 'Nicht lesbar'],
  ['row-not-transformed', 'Nicht umwandelbar'],
  ['row-not-stored', 'Die Tabelle nimmt sie nicht'],
])

export const de: EndTexts = {
  setAside: (rows) => `${count(rows, 'Zeile', 'Zeilen')} beiseitegelegt`,
  sums: (read, loaded, corrected, rejected) =>
    `${number(read)} Zeilen gelesen = ${number(loaded)} geladen + ${corrected > 0 ? `${number(corrected)} berichtigt + ` : ''}${number(rejected)} beiseitegelegt.`,
  inUse:
    'Der Layer wird ohne sie benutzt. Berichtigen Sie sie hier und senden Sie sie noch einmal, oder berichtigen Sie die Datei.',
  firstOnes: (shown) =>
    `Gezeigt werden die ersten ${number(shown)}. Die anderen werden in der Datei berichtigt.`,
  notLoaded:
    'Nichts ist geladen: es sind mehr beiseitegelegt, als die Grenze erlaubt. Laden Sie die anderen, oder berichtigen Sie die Daten.',
  loadOthers: (rows) => `Die ${rows === 1 ? 'andere Zeile' : `anderen ${number(rows)} Zeilen`} laden`,
  allReasons: 'Alle',
  reasons: (code) => reasons.get(code) ?? code,
  row: 'Zeile',
  rowNamed: (row) => `Zeile ${number(row)}`,
  reason: 'Grund',
  column: 'Spalte',
  value: 'Wert, zu berichtigen',
  outcome: 'Dann',
  willBeSent: 'wird gesendet',
  asItWas: 'wie sie war',
  inFile: 'In der Datei berichtigen',
  correctionsOf: (corrected, all) => `${number(corrected)} von ${number(all)} berichtigt.`,
  send: (rows) => `${count(rows, 'Zeile', 'Zeilen')} noch einmal senden`,
  download: 'Als Datei',
  sendFile: 'Berichtigte Datei senden',
  sentLast: (sent, loaded, rejected, refused) =>
    `Von ${count(sent, 'gesendeten Zeile', 'gesendeten Zeilen')} ${loaded === 1 ? 'ist' : 'sind'} ${number(loaded)} geladen, ${number(rejected)} wieder beiseitegelegt${refused > 0 ? `, ${number(refused)} abgelehnt` : ''}.`,
  correctionFailed: 'Was gesendet wurde, ließ sich nicht laden.',
  undo: 'Rückgängig',
  redo: 'Wiederherstellen',
  undone: 'Rückgängig gemacht.',
  redone: 'Wiederhergestellt.',
  undoHint:
    'Bringt den Layer auf den Stand vor diesem Import zurück; ein neuer wird gelöscht. Das lässt sich wiederherstellen.',
}
