import type { LayerRecord } from '../../catalog/index.ts'
import type { FormatOfFile } from './download-format.ts'
import type { FileColumns } from './file-columns.ts'
import type { RowsWritten } from './row-export-request.ts'
import { namedTerms, termsOf } from './terms.ts'

const shown = 20

function list(names: readonly string[]): string {
  const more = names.length > shown ? ` and ${names.length - shown} more` : ''
  return `${names
    .slice(0, shown)
    .map((name) => `"${name}"`)
    .join(', ')}${more}`
}

/** Returns texts on what a file has lost: first for every file of the format, then for this one. */
export function lossesOf(
  { losses, needsGeometry = false }: Pick<FormatOfFile, 'losses' | 'needsGeometry'>,
  { columns, dropped, asText }: FileColumns,
  { cutTexts, lostValues, numbers, unplaced, refused, renamed, typeCodes, withoutGeometry }: RowsWritten,
  isZipped: boolean,
): string[] {
  const short = columns
    .filter(({ source, attribute }) => source !== attribute.name)
    .map(({ source, attribute }) => `${source} → ${attribute.name}`)
  const others = Object.entries(renamed).map(([name, other]) => `${name} → ${other}`)
  const cut = Object.entries(cutTexts).map(([name, count]) => `${name} (${count})`)
  const lost = Object.entries(lostValues).map(([name, count]) => `${name} (${count})`)
  return [
    ...losses,
    ...(dropped.length > 0 ? [`Columns that are left out: ${list(dropped)}`] : []),
    ...(asText.length > 0 ? [`Columns that are texts here: ${list(asText.map(({ name }) => name))}`] : []),
    ...(short.length + others.length > 0 ? [`Columns with other names: ${list([...short, ...others])}`] : []),
    ...(cut.length > 0 ? [`Columns with texts that were cut, and how many: ${list(cut)}`] : []),
    ...(lost.length > 0
      ? [`Columns with NaN or infinite values, which are missing, and how many: ${list(lost)}`]
      : []),
    ...numberLosses(numbers),
    ...(needsGeometry && withoutGeometry > 0
      ? [`${withoutGeometry} rows without geometry, which such a file has no place for`]
      : []),
    ...(unplaced > 0 ? [`${unplaced} geometries have no place in the CRS of the file and are missing`] : []),
    ...Object.entries(refused).map(([reason, count]) => `${count} rows are missing: ${reason}`),
    ...(isZipped && hasSeveralKinds(typeCodes)
      ? [
          'Geometries of several kinds stand in several files; of collections only the rows, in a table of their own',
        ]
      : []),
  ]
}

function hasSeveralKinds(codes: readonly number[]): boolean {
  return (
    codes.includes(7) || new Set(codes.map((code) => (code === 5 || code === 6 ? code - 3 : code))).size > 1
  )
}

const numberWords = {
  rounded: 'Columns with numbers that are rounded, since a field has 31 characters, and how many',
  tooLarge: 'Columns with numbers that are too large for a field, which are missing, and how many',
  wide: 'Columns with whole numbers that many programs read as floating-point numbers, and how many',
} as const

function numberLosses(numbers: RowsWritten['numbers']): string[] {
  return (['rounded', 'tooLarge', 'wide'] as const).flatMap((kind) => {
    const lost = Object.entries(numbers).filter(([, losses]) => losses[kind] > 0)
    const names = lost.map(([name, losses]) => `${name} (${losses[kind]})`)
    return names.length === 0 ? [] : [`${numberWords[kind]}: ${list(names)}`]
  })
}

/** Returns a description of a file: the layer, its terms, and what the file has lost. */
export function aboutText(
  layer: LayerRecord,
  { srs, version }: { srs?: string; version?: number },
  losses: readonly string[],
  at: Date,
): string {
  const { workspace, name } = layer
  const terms = termsOf(layer)
  const { title, abstract } = terms
  const lines = [
    title,
    ...(abstract === undefined ? [] : [abstract]),
    '',
    `Layer: ${workspace}:${name}${version === undefined ? '' : `, version ${version}`}`,
    `Made: ${at.toISOString()}`,
    ...(srs === undefined ? [] : [`CRS: ${srs}`]),
    ...namedTerms(terms).map(([what, text]) => `${what}: ${text}`),
    '',
    'What is not as in the layer:',
    ...losses.map((loss) => `- ${loss}`),
  ]
  return `${lines.join('\r\n')}\r\n`
}
