import type { LayerRecord } from '../../../../catalog/index.ts'
import { escapeXml } from '../../../../core/text/escape.ts'
import { gmlId } from '../../../../formats/writing/index.ts'
import type { AppliedEdit } from '../../../../importer/index.ts'
import type { OwsCatalog } from '../../ows-deps.ts'
import { findIdPrefix } from '../feature-types.ts'
import type { WfsRequest } from '../wfs-request.ts'
import { wordsOfVersion } from '../wfs-version.ts'
import type { ActionEdit } from './edit-plan.ts'
import type { WrittenAction } from './transaction-request.ts'

interface AppliedTransaction {
  layers: readonly LayerRecord[]
  applied: readonly AppliedEdit[]
  /** In the order of `applied`. */
  edits: readonly ActionEdit[]
}

/** A feature that was changed, with its id in documents. */
interface ChangedFeature {
  action: WrittenAction
  id: string
}

/** Returns the response to a Transaction (OGC 09-025r2, section 15.3; 04-094, section 12.3). */
export async function transactionResponse(
  catalog: OwsCatalog,
  wfsRequest: WfsRequest,
  { layers, applied, edits }: AppliedTransaction,
): Promise<{ mediaType: string; text: string }> {
  const prefixes: string[] = []
  for (const layer of layers) prefixes.push((await findIdPrefix(catalog, wfsRequest, layer)) ?? layer.name)
  const changed = edits.flatMap(({ action }, at): ChangedFeature[] => {
    const { layer, featureId } = applied[at] ?? {}
    if (layer === undefined || featureId === undefined) return []
    return [{ action, id: gmlId(prefixes[layer] ?? '', featureId) }]
  })
  const of = (name: WrittenAction['name']): ChangedFeature[] =>
    changed.filter(({ action }) => action.name === name)
  return documents[wfsRequest.version](of)
}

type Select = (name: WrittenAction['name']) => ChangedFeature[]

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

function newerDocument(of: Select): { mediaType: string; text: string } {
  const { wfs, wfsLocation } = wordsOfVersion['2.0.0']
  const results = (name: string, features: readonly ChangedFeature[]): string => {
    const list = features.map(({ action, id }) =>
      featureXml(action, `<fes:ResourceId rid="${escapeXml(id)}"/>`),
    )
    return list.length === 0 ? '' : `<wfs:${name}>${list.join('')}</wfs:${name}>`
  }
  const text = [
    `${declaration}<wfs:TransactionResponse version="2.0.0" xmlns:wfs="${wfs}" xmlns:fes="http://www.opengis.net/fes/2.0" ${xsi} xsi:schemaLocation="${wfs} ${wfsLocation}">`,
    '<wfs:TransactionSummary>',
    total('totalInserted', of('Insert')),
    total('totalUpdated', of('Update')),
    total('totalReplaced', of('Replace')),
    total('totalDeleted', of('Delete')),
    '</wfs:TransactionSummary>',
    results('InsertResults', of('Insert')),
    results('UpdateResults', of('Update')),
    results('ReplaceResults', of('Replace')),
    '</wfs:TransactionResponse>\n',
  ].join('')
  return { mediaType: 'application/xml; charset=utf-8', text }
}

function olderDocument(of: Select): { mediaType: string; text: string } {
  const { wfs, wfsLocation } = wordsOfVersion['1.1.0']
  const inserted = of('Insert').map(({ action, id }) =>
    featureXml(action, `<ogc:FeatureId fid="${escapeXml(id)}"/>`),
  )
  const text = [
    `${declaration}<wfs:TransactionResponse version="1.1.0" xmlns:wfs="${wfs}" xmlns:ogc="http://www.opengis.net/ogc" ${xsi} xsi:schemaLocation="${wfs} ${wfsLocation}">`,
    '<wfs:TransactionSummary>',
    total('totalInserted', of('Insert')),
    total('totalUpdated', of('Update')),
    total('totalDeleted', of('Delete')),
    '</wfs:TransactionSummary>',
    inserted.length === 0 ? '' : `<wfs:InsertResults>${inserted.join('')}</wfs:InsertResults>`,
    '</wfs:TransactionResponse>\n',
  ].join('')
  return { mediaType: 'text/xml; charset=utf-8', text }
}

/** OGC 02-058, section 11.3: WFS 1.0 has no totals. */
function oldestDocument(of: Select): { mediaType: string; text: string } {
  const { wfs } = wordsOfVersion['1.0.0']
  const inserted = of('Insert').map(({ action: { handle }, id }) => {
    const attribute = handle === undefined ? '' : ` handle="${escapeXml(handle)}"`
    return `<wfs:InsertResult${attribute}><ogc:FeatureId fid="${escapeXml(id)}"/></wfs:InsertResult>`
  })
  const text = [
    `${declaration}<wfs:WFS_TransactionResponse version="1.0.0" xmlns:wfs="${wfs}" xmlns:ogc="http://www.opengis.net/ogc" ${xsi} xsi:schemaLocation="${wfs} http://schemas.opengis.net/wfs/1.0.0/WFS-transaction.xsd">`,
    ...inserted,
    '<wfs:TransactionResult><wfs:Status><wfs:SUCCESS/></wfs:Status></wfs:TransactionResult>',
    '</wfs:WFS_TransactionResponse>\n',
  ].join('')
  return { mediaType: 'text/xml; charset=utf-8', text }
}

const documents: Record<WfsRequest['version'], (of: Select) => { mediaType: string; text: string }> = {
  '2.0.0': newerDocument,
  '1.1.0': olderDocument,
  '1.0.0': oldestDocument,
}

function total(name: string, { length }: readonly ChangedFeature[]): string {
  return `<wfs:${name}>${length}</wfs:${name}>`
}

function featureXml({ handle }: WrittenAction, id: string): string {
  const attribute = handle === undefined ? '' : ` handle="${escapeXml(handle)}"`
  return `<wfs:Feature${attribute}>${id}</wfs:Feature>`
}
