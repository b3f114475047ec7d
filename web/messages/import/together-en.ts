import { countingOf } from '../counting.ts'

const { count, number } = countingOf('en')

const layers = (value: number): string => count(value, 'layer', 'layers')

export const togetherEn = {
  title: (value: number) => `All ${layers(value)} together`,
  entry: (value: number) => `The ${layers(value)} together`,
  entryHint: 'Choices and problems of all',
  sums: { ready: 'ready', decide: 'to decide', failed: 'failed', done: 'done', rows: 'rows loaded' },
  problems: 'What is in the way',
  noProblems: 'Nothing is in the way.',
  problem: {
    points: (value: number) => `${layers(value)}: coordinates are in columns`,
    crs: (value: number) => `${layers(value)}: no coordinate system`,
    keys: (value: number) => `${layers(value)}: choose the key columns that identify a row`,
    stopped: (value: number) => `${layers(value)}: a limit stopped the load`,
    rejected: (value: number) => `${layers(value)}: too many rows would be rejected`,
    unread: (value: number) => `${layers(value)}: cannot be read`,
    failed: (value: number) => `${layers(value)}: the load failed`,
    canceled: (value: number) => `${layers(value)}: cancelled`,
  },
  forExample: (names: string, more: number) => (more > 0 ? `${names} and ${number(more)} more` : names),
  showThem: 'Show them',
  notOnly: 'Show all layers again',
  takePoints: (value: number) => `Take them as points in ${layers(value)}`,
  fits: (value: number, all: number) => `fits ${number(value)} of ${number(all)}`,
  bestOfEach: 'For each the one that fits it best',
  otherCrs: 'Another one, by its code',
  takeCrs: (value: number) => `Take it for ${layers(value)}`,
  keyOfAll: 'Key column that identifies a row',
  noCommonColumn: 'No column is in all of them. Choose a key for each.',
  takeKey: (value: number) => `Take it for ${layers(value)}`,
  letThrough: (value: number) => `Let ${layers(value)} through`,
  mayBeSetAside: 'Maximum number of rejected rows (a number or 5%)',
  takeLimit: (value: number) => `Allow it for ${layers(value)}`,
  runAgain: 'Run again',
  leaveOut: 'Leave them out',
  leaveOutTitle: (value: number) => `Leave out ${layers(value)}?`,
  leaveOutHint: 'They are removed from this import. Import their files again to have them back.',
  rules: (value: number) => `Choices for ${layers(value)}`,
  rulesHint:
    'What is left empty stays as it is. Choose in the list for which layers this is; one may still be changed by itself afterwards.',
  asItIs: 'as it is',
  workspace: 'Workspace (always of all layers)',
  store: 'Store',
  mode: 'When a layer is there already',
  crs: 'Coordinate system where none was found',
  style: 'Style',
  names: 'Names',
  find: 'Replace',
  replace: 'by',
  prefix: 'Before each name',
  suffix: 'Behind each name',
  lowerCase: 'Lower case',
  becomes: (from: string, to: string) => `${from} → ${to}`,
  twice: (value: number, name: string) =>
    value === 1
      ? `${name} would be the name of several layers; they get numbers.`
      : `${number(value)} names would be those of several layers, such as ${name}; they get numbers.`,
  emptyName: 'A layer would be left without a name.',
  limits: 'Limits',
  mostRejected: 'Rejected rows at most (a number or 5%)',
  mostRemoved: 'Percent of rows removed at most',
  mostChanged: 'Percent of rows changed at most',
  fewest: 'Minimum number of rows',
  apply: (value: number) => `Apply to ${layers(value)}`,
  nothingChosen: 'Nothing is chosen yet.',
  sending: (done: number, all: number) => `${number(done)} of ${layers(all)} changed`,
  stop: 'Stop',
  refused: (value: number) => `The server refused this for ${layers(value)}:`,
  unsent: (value: number) => `${layers(value)} ${value === 1 ? 'is' : 'are'} as before.`,
  tryAgain: 'Repeat dry run',
  progress: 'Layers that are done',
}

export type TogetherTexts = typeof togetherEn
