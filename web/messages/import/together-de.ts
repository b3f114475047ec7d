import { countingOf } from '../counting.ts'
import type { TogetherTexts } from './together-en.ts'

const { count, number } = countingOf('de')

const layers = (value: number): string => count(value, 'Layer', 'Layer')

export const togetherDe: TogetherTexts = {
  title: (value) => `Alle ${layers(value)} zusammen`,
  entry: (value) => `Die ${layers(value)} zusammen`,
  entryHint: 'Auswahl und Probleme aller',
  sums: { ready: 'bereit', decide: 'offen', failed: 'gescheitert', done: 'fertig', rows: 'Zeilen geladen' },
  problems: 'Was im Weg ist',
  noProblems: 'Nichts ist im Weg.',
  problem: {
    points: (value) => `${layers(value)}: Koordinaten stehen in Spalten`,
    crs: (value) => `${layers(value)}: kein Koordinatensystem`,
    keys: (value) => `${layers(value)}: kein Schlüssel sagt, welche Zeile welche ist`,
    stopped: (value) => `${layers(value)}: eine Grenze hat das Laden angehalten`,
    rejected: (value) => `${layers(value)}: zu viele Zeilen würden beiseitegelegt`,
    unread: (value) => `${layers(value)}: nicht lesbar`,
    failed: (value) => `${layers(value)}: das Laden ist gescheitert`,
    canceled: (value) => `${layers(value)}: abgebrochen`,
  },
  forExample: (names, more) => (more > 0 ? `${names} und ${number(more)} weitere` : names),
  showThem: 'Zeigen',
  notOnly: 'Wieder alle Layer zeigen',
  takePoints: (value) => `In ${count(value, 'Layer', 'Layern')} als Punkte nehmen`,
  fits: (value, all) => `passt zu ${number(value)} von ${number(all)}`,
  bestOfEach: 'Für jeden das, was am besten passt',
  otherCrs: 'Ein anderes, nach seinem Code',
  takeCrs: (value) => `Für ${layers(value)} nehmen`,
  keyOfAll: 'Spalte, die Zeilen unterscheidet',
  noCommonColumn: 'Keine Spalte ist in allen. Wählen Sie für jeden einen Schlüssel.',
  takeKey: (value) => `Für ${layers(value)} nehmen`,
  letThrough: (value) => `${layers(value)} durchlassen`,
  mayBeSetAside: 'Zeilen, die beiseitegelegt werden dürfen (Zahl oder 5%)',
  takeLimit: (value) => `Für ${layers(value)} erlauben`,
  runAgain: 'Noch einmal laden',
  leaveOut: 'Weglassen',
  leaveOutTitle: (value) => `${layers(value)} weglassen?`,
  leaveOutHint:
    'Sie werden aus diesem Import genommen. Importieren Sie ihre Dateien noch einmal, um sie wieder zu haben.',
  rules: (value) => `Auswahl für ${layers(value)}`,
  rulesHint:
    'Was leer ist, bleibt, wie es ist. Die Liste sagt, für welche Layer dies gilt; jeder kann danach noch allein geändert werden.',
  asItIs: 'wie es ist',
  workspace: 'Arbeitsbereich (immer aller Layer)',
  store: 'Speicher',
  mode: 'Wenn es einen Layer schon gibt',
  crs: 'Koordinatensystem, wo keines gefunden wurde',
  style: 'Stil',
  names: 'Namen',
  find: 'Ersetzen',
  replace: 'durch',
  prefix: 'Vor jedem Namen',
  suffix: 'Hinter jedem Namen',
  lowerCase: 'Kleinbuchstaben',
  becomes: (from, to) => `${from} → ${to}`,
  twice: (value, name) =>
    value === 1
      ? `${name} wäre der Name mehrerer Layer; sie bekommen Nummern.`
      : `${number(value)} Namen wären die mehrerer Layer, etwa ${name}; sie bekommen Nummern.`,
  emptyName: 'Ein Layer bliebe ohne Namen.',
  limits: 'Grenzen',
  mostRejected: 'Höchstens beiseitegelegte Zeilen (Zahl oder 5%)',
  mostRemoved: 'Höchstens entfernte Zeilen in Prozent',
  mostChanged: 'Höchstens geänderte Zeilen in Prozent',
  fewest: 'Zeilen, die mindestens kommen',
  apply: (value) => `Auf ${layers(value)} anwenden`,
  nothingChosen: 'Noch ist nichts gewählt.',
  sending: (done, all) => `${number(done)} von ${count(all, 'Layer', 'Layern')} geändert`,
  stop: 'Anhalten',
  refused: (value) => `Das hat der Server für ${layers(value)} abgelehnt:`,
  unsent: (value) => `${layers(value)} ${value === 1 ? 'ist' : 'sind'} wie zuvor.`,
  tryAgain: 'Testlauf wiederholen',
  progress: 'Fertige Layer',
}
