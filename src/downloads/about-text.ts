import type { LayerRecord } from '../catalog/records.ts'

/** What is told of a file in words: what it is of, on which terms, and what it has lost. */
export function aboutText(
  { workspace, name, details }: LayerRecord,
  { srs, version }: { srs?: string; version?: number },
  losses: readonly string[],
  at: Date,
): string {
  const { title, abstract } = details
  const lines = [
    title,
    ...(abstract === undefined ? [] : [abstract]),
    '',
    `Layer: ${workspace}:${name}${version === undefined ? '' : `, version ${version}`}`,
    `Made: ${at.toISOString()}`,
    ...(srs === undefined ? [] : [`CRS: ${srs}`]),
    ...termsOf(details).map(([what, text]) => `${what}: ${text}`),
    '',
    'What is not as in the layer:',
    ...losses.map((loss) => `- ${loss}`),
  ]
  return `${lines.join('\r\n')}\r\n`
}

function termsOf({ attribution, licence, contact }: LayerRecord['details']): [string, string][] {
  const terms: [string, string | undefined][] = [
    ['Attribution', attribution],
    ['Licence', licence],
    ['Contact', contact],
  ]
  return terms.flatMap(([what, text]) => (text === undefined ? [] : [[what, text]]))
}
