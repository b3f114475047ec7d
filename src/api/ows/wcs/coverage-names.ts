import type { LayerRecord } from '../../../catalog/index.ts'
import { fromXmlName, xmlName } from '../../../formats/writing/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { findRequestedLayer } from '../named-layers.ts'
import type { OwsCatalog } from '../ows-deps.ts'
import { OwsFailure } from '../ows-failure.ts'
import type { WcsVersion } from './wcs-request.ts'

type Named = { workspace: string; name: string }

/** The id of a coverage in WCS 2.0: a name in XML, of workspace and name with two underscores between. */
export function coverageIdOf({ workspace, name }: Named): string {
  return xmlName(`${workspace}__${name}`)
}

/** Its name in WCS 1.0: as in WMS, below a workspace without it. */
export function coverageNameOf({ workspace, name }: Named, below: string | undefined): string {
  return below === undefined ? `${workspace}:${name}` : name
}

/**
 * Finds the coverage of a 2.0 id or a 1.0 name, in requests of either version; undefined also for one that
 * the caller may not read.
 */
async function findCoverage(
  catalog: OwsCatalog,
  request: FastifyRequest,
  text: string,
  workspace: string | undefined,
): Promise<LayerRecord | undefined> {
  for (const name of readings(text)) {
    const layer = await findRequestedLayer(catalog, request, name, { workspace, kinds: ['raster'] })
    if (layer?.details.kind === 'raster') return layer
  }
  return undefined
}

/** Workspaces may have underscores in their names themselves. */
function readings(text: string): string[] {
  const found = [text]
  for (const one of new Set([fromXmlName(text), text]))
    for (let at = one.indexOf('__', 1); at > 0; at = one.indexOf('__', at + 1))
      found.push(`${one.slice(0, at)}:${one.slice(at + 2)}`)
  return found
}

/** Those of a request, in its order, each used once; throws `OwsFailure`. */
export async function requireCoverages(
  catalog: OwsCatalog,
  request: FastifyRequest,
  ids: readonly string[],
  { workspace, version }: { workspace: string | undefined; version: WcsVersion },
): Promise<LayerRecord[]> {
  const layers: LayerRecord[] = []
  for (const id of new Set(ids)) {
    const layer = await findCoverage(catalog, request, id, workspace)
    if (layer === undefined) throw noSuchCoverage(id, version)
    layers.push(layer)
  }
  request.usedLayers = layers
  return layers
}

function noSuchCoverage(id: string, version: WcsVersion): OwsFailure {
  const text = `Coverage "${id.slice(0, 200)}" does not exist, or needs a login`
  const { code, locator } = version.unknownCoverage(id.slice(0, 200))
  return new OwsFailure(code, text, locator, 404)
}
