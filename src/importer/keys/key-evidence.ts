import type { KeyProposal, TaskRecord } from '../model/model.ts'
import type { KeySearchResult } from './find-keys.ts'

/** Converts a found key to the proposal of the API. */
export function toProposal({ keys, rows, found, rule, isExact }: KeySearchResult): KeyProposal {
  const { data, target: layer } = rows
  const names = quoted(keys)
  const share = Math.floor((found / data) * 1000) / 10
  const readRows = isExact ? `all ${data} rows` : `the first ${data} rows`
  const beside = isExact ? `all ${layer}` : `the first ${layer}`
  const ruled = rule === undefined ? '' : `. The layer has it as a ${rule}`
  const evidence = `${names} ${keys.length > 1 ? 'together have' : 'has'} a value of its own in ${readRows} of the data and in ${beside} of the layer; ${found} of the data (${share} %) are in the layer${ruled}`
  return { kind: 'keys', keys, rows: { data, layer, found }, exact: isExact, evidence }
}

const maxNamed = 3

/** Returns why an `UPSERT` cannot run without keys, with usable ones. */
export function explainMissing({ errorMessage = '' }: TaskRecord, proposals: readonly KeyProposal[]): string {
  const [first] = proposals
  if (first === undefined) {
    return `${errorMessage}. No column or pair of columns is unique and never empty in both the data and the layer`
  }
  const others = proposals.slice(1, maxNamed).map(({ keys }) => quoted(keys))
  const also = others.length === 0 ? '' : `. Alternatives: ${others.join(', or ')}`
  return `${errorMessage}. ${quoted(first.keys)} can be used: ${first.evidence}${also}`
}

function quoted(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(' with ')
}
