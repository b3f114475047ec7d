import { countingOf } from '../counting.ts'
import type { DecidingTexts } from './deciding-en.ts'

const { count, number } = countingOf('de')

const ruleNames = new Map([
  ['removed', 'Zeilen, die entfernt würden'],
  ['changed', 'Zeilen, die sich ändern würden'],
  ['empty', 'Zeilen ohne Wert'],
  ['values', 'Werte außerhalb der Grenzen'],
  ['columns', 'Spalten, die kommen und gehen'],
  ['crs', 'Ein anderes Koordinatensystem'],
  ['outside', 'Zeilen außerhalb eines Gebiets'],
  ['fewer', 'Zeilen, die kommen'],
])
const phaseNames = new Map([
  ['waiting', 'Wartet, bis es an der Reihe ist'],
  ['transforming', 'Wird umgewandelt'],
  ['loading', 'Zeilen werden gelesen und geladen'],
  ['committing', 'Wird geprüft und eingesetzt'],
  ['publishing', 'Wird veröffentlicht'],
  ['done', 'Fertig'],
])
const columnChanges = new Map([
  ['gained', 'Eine Spalte mehr'],
  ['lost', 'Eine Spalte weniger'],
])

export const decidingDe: DecidingTexts = {
  workspace: 'Arbeitsbereich',
  store: 'Speicher',
  isNew: 'Es ist ein neuer Layer.',
  isThere: (rows, day) =>
    rows === undefined
      ? `Es gibt ihn schon, geändert ${day}.`
      : `Es gibt ihn schon: ${rows}, geändert ${day}.`,
  lookAtIt: 'Ansehen',
  getsNumber: 'Der neue bekommt eine Nummer hinter dem Namen.',
  nothingThere: 'Einen Layer mit diesem Namen gibt es nicht.',
  keys: 'Zeilen sind dieselben nach',
  otherKey: 'Anderer Schlüssel',
  keysNeeded: 'Wählen Sie die Spalten, an denen Zeilen zu erkennen sind.',
  keysHelp: 'Mit einem Schlüssel sind geänderte Zeilen von gehenden und kommenden zu unterscheiden.',
  keysLooked: 'Geeignete Spalten werden gesucht.',
  noKeys: 'Keine Spalte hat in jeder Zeile einen eigenen Wert.',
  anotherColumn: 'Eine andere Spalte',
  deleteMissing: 'Zeilen entfernen, die nicht kommen',
  limits: 'Grenzen: anhalten, was falsch aussieht',
  limitsSet: (value) => `Grenzen: ${count(value, 'Regel gilt', 'Regeln gelten')}`,
  stopWhere: 'Anhalten, bevor jemand es sieht, wenn',
  moreThan: 'mehr als',
  mostRejected: 'Zeilen, die beiseitegelegt werden dürfen, als Zahl oder Prozent',
  areRejected: 'Zeilen nicht zu lesen sind und beiseitegelegt werden (eine Zahl oder 5%)',
  removedPercent: 'Prozent der Zeilen, die entfernt werden dürfen',
  areRemoved: 'der Zeilen entfernt würden',
  changedPercent: 'Prozent der Zeilen, die sich ändern dürfen',
  areChanged: 'der Zeilen sich ändern würden',
  fewerThan: 'weniger als',
  fewestRows: 'Zeilen, die mindestens kommen',
  rowsCome: 'Zeilen kommen',
  columnsRule: 'Spalten',
  columnsFree: 'Spalten dürfen kommen und gehen',
  columnsLost: 'eine Spalte fehlt',
  columnsAny: 'eine Spalte kommt, geht oder einen anderen Typ hat',
  otherCrs: 'das Koordinatensystem ein anderes ist als das des Layers',
  emptyPercent: (name) => `Prozent der Zeilen ohne ${name}`,
  lackValue: 'der Zeilen keinen Wert haben in',
  emptyColumn: 'eine Spalte zu viele Lücken hat',
  valuesColumn: 'eine Spalte hat Werte, die sie nicht haben soll',
  isLess: 'ist kleiner als',
  orMore: 'oder größer als',
  orNone: 'oder keines von',
  commas: 'mit Kommas dazwischen',
  leastOf: (name) => `Kleinster Wert von ${name}`,
  mostOf: (name) => `Größter Wert von ${name}`,
  allowedOf: (name) => `Werte, die ${name} haben darf`,
  removeValues: (name) => `Keine Grenze für ${name}`,
  outsideOf: 'eine Zeile über dieses Gebiet des Layers hinausreicht:',
  boxHint: 'Vier Zahlen: Westen, Süden, Osten und Norden in den Koordinaten des Layers.',
  rules: (rule) => ruleNames.get(rule) ?? rule,
  limitIs: (text) => `Grenze ${text}`,
  measured: (text) => `gefunden ${text}`,
  rows: (value) => count(value, 'Zeile', 'Zeilen'),
  stopped: 'Eine Grenze hat dieses Laden angehalten',
  stoppedHint:
    'Nichts wurde geändert. Berichtigen Sie die Daten, ändern Sie die Grenze, oder lassen Sie dieses eine Laden durch.',
  accept: 'Dieses Laden durchlassen',
  difference: 'Was sich ändern würde',
  tryIt: 'Testlauf starten',
  tryAgain: 'Testlauf wiederholen',
  tryHint:
    'Testlauf: lädt alles bis auf den letzten Schritt. Ein anschließender Import verwendet die geladenen Daten.',
  wouldStop: 'Eine Grenze würde dieses Laden anhalten.',
  wouldRead: (read, load, rejected) =>
    `${count(read, 'Zeile wird', 'Zeilen werden')} gelesen, ${number(load)} würden geladen, ${number(rejected)} beiseitegelegt.`,
  matchedBy: (keys) => `Zeilen werden verglichen nach ${keys}.`,
  noMatch:
    'Ohne Schlüssel ist eine geänderte Zeile nicht von einer gehenden und einer kommenden zu unterscheiden.',
  added: 'neu',
  changed: 'geändert',
  removed: 'entfernt',
  same: 'gleich',
  column: (change, name, from, to) =>
    change === 'type'
      ? `Spalte ${name} wird ${to ?? ''}, sie war ${from ?? ''}.`
      : `${columnChanges.get(change) ?? change}: ${name}.`,
  geometry: ({ empty, invalid, repaired }) =>
    `Geometrien: ${number(repaired)} berichtigt, ${number(invalid)} ungültig, ${number(empty)} fehlen.`,
  rejects: (value, field, reason) =>
    `${count(value, 'Zeile', 'Zeilen')} beiseitegelegt${field === undefined ? '' : `, ${field}`}: ${reason}.`,
  example: (row, value) =>
    value === undefined ? `Zeile ${number(row)}` : `Zeile ${number(row)}: „${value.slice(0, 80)}“`,
  notTried: (text) => `Nicht im Testlauf: ${text}`,
  differenceMap: 'Der Unterschied auf der Karte',
  shownChanges: 'Gezeigte Änderungen',
  all: 'Alle',
  allAsCsv: 'Alle als CSV',
  firstRows: (shown, all) => `Die ersten ${number(shown)} von ${number(all)}.`,
  noChanges: 'Keine Zeile ändert sich.',
  samples: 'Geänderte Zeilen',
  what: 'Änderung',
  phases: (phase) => phaseNames.get(phase) ?? phase,
  left: (time) => `noch etwa ${time}`,
  readOf: (total) => `gelesen von ${total}`,
  rowsASecond: 'Zeilen in der Sekunde',
  mayClose:
    'Sie können diese Seite schließen. Die Arbeit geht weiter, und diese Adresse zeigt, wie weit sie ist.',
  tried: 'Testlauf läuft. Es werden keine Daten geändert.',
  failed: (value) => `${count(value, 'Layer ist', 'Layer sind')} gescheitert.`,
  cancelled: (value) => `${count(value, 'Layer wurde', 'Layer wurden')} abgebrochen.`,
  open: (value) => `${count(value, 'Layer braucht', 'Layer brauchen')} eine Antwort.`,
}
