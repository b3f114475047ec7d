import type { LayerRecord } from '../catalog/records.ts'
import { namedTerms, termsOf } from './terms.ts'

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
