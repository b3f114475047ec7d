import type { GroupName, LayerSummary } from '../../../catalog/index.ts'
import type { ServiceSettings } from '../../../core/config/service-settings.ts'
import { escapeXml } from '../../../core/text/escape.ts'
import { getTileMatrixSet, maxZoom } from '../../../tiles/tile-matrix-sets.ts'
import type { FastifyReply, FastifyRequest } from '../../app-types.ts'
import { layerSegment } from '../../tiles/named-layers.ts'
import { mvt } from '../../tiles/send-tile.ts'
import { tokenForLinks } from '../../url-token.ts'
import type { ListedGroup } from '../listed-groups.ts'
import { listReadableGroups } from '../listed-groups.ts'
import type { RequestedLayer } from '../named-layers.ts'
import type { OwsCatalog } from '../ows-deps.ts'
import { readableSummaries, sendPieces } from '../send-pieces.ts'
import { textElement } from '../service-about.ts'
import { abstractWithTerms } from '../service-metadata.ts'
import type { TileMap } from './tile-maps.ts'
import { grids } from './tile-maps.ts'

const servicePath = '/gwc/service/tms/1.0.0'
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const tileCells = 256

function linkTo(request: FastifyRequest, path: string): string {
  const token = tokenForLinks(request)
  return escapeXml(`${request.link(path)}${token === '' ? '' : `?${token}`}`)
}

function sendXml(reply: FastifyReply, text: string): FastifyReply {
  reply.header('cache-control', 'private, no-cache')
  return reply.header('content-type', 'text/xml; charset=utf-8').send(`${declaration}${text}\n`)
}

/** The root resource. */
export function describeService(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const href = linkTo(request, servicePath)
  return sendXml(
    reply,
    `<Services><TileMapService title="Terrane" version="1.0.0" href="${href}"/></Services>`,
  )
}

/** The layers that the caller may read, each in every grid and format. */
export async function listTileMaps(
  catalog: OwsCatalog,
  about: ServiceSettings,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const cards = await readableSummaries(catalog, { request, workspace: undefined })
  const groups = await listReadableGroups(catalog, undefined, cards)
  return sendPieces(reply, 'text/xml; charset=utf-8', mapPieces(about, request, [...groups, ...cards]))
}

async function* mapPieces(
  about: ServiceSettings,
  request: FastifyRequest,
  listed: readonly (ListedGroup | LayerSummary)[],
): AsyncGenerator<string> {
  yield `${declaration}<TileMapService version="1.0.0" services="${linkTo(request, '/gwc/service/tms')}">`
  yield `${textElement('Title', about.title)}${textElement('Abstract', about.abstract ?? 'Tiles of the published layers')}\n<TileMaps>\n`
  for (const one of listed) yield entriesOf(request, one)
  yield '</TileMaps>\n</TileMapService>\n'
}

function entriesOf(request: FastifyRequest, listed: ListedGroup | LayerSummary): string {
  const isVector = 'kind' in listed && listed.kind !== 'raster'
  const formats = isVector ? ['png', 'jpeg', 'pbf'] : ['png', 'jpeg']
  const { title, name } = 'group' in listed ? listed.group : listed
  const segment = segmentOf('group' in listed ? listed.group : listed)
  return grids
    .flatMap(({ grid, profile }) =>
      formats.map((format) => {
        const href = linkTo(request, `${servicePath}/${segment}@${grid}@${format}`)
        return `<TileMap title="${escapeXml(title === '' ? name : title)}" srs="${grid}" profile="${profile}" href="${href}"/>\n`
      }),
    )
    .join('')
}

/** Returns the path segment of a layer or a group. */
function segmentOf({ workspace, name }: GroupName): string {
  return workspace === undefined ? encodeURIComponent(name) : layerSegment({ workspace, name })
}

/** A layer or a group in a grid: where its tiles are. Rows are counted from the south. */
export function describeTileMap(
  request: FastifyRequest,
  reply: FastifyReply,
  [first]: readonly RequestedLayer[],
  { grid, set, format, ending }: TileMap,
): FastifyReply {
  const { bounds, columns } = getTileMatrixSet(set)
  if (first === undefined) throw new Error('A name gives at least one layer')
  const { layer, group } = first
  const { title, abstract } = group ?? { ...layer.details, abstract: abstractWithTerms(layer.details) }
  const path = `${servicePath}/${segmentOf(group ?? layer)}@${grid}@${ending}`
  const profile = grids.find((one) => one.grid === grid)?.profile ?? 'local'
  const sets = Array.from({ length: maxZoom + 1 }, (_, zoom) => {
    const units = (bounds.maxX - bounds.minX) / (columns * 2 ** zoom * tileCells)
    return `<TileSet href="${linkTo(request, `${path}/${zoom}`)}" units-per-pixel="${units}" order="${zoom}"/>\n`
  })
  const type = format === 'mvt' ? mvt : `image/${format}`
  return sendXml(
    reply,
    [
      `<TileMap version="1.0.0" tilemapservice="${linkTo(request, servicePath)}">`,
      textElement('Title', title === '' ? (group ?? layer).name : title),
      `<Abstract>${escapeXml(abstract ?? '')}</Abstract><SRS>${grid}</SRS>`,
      `<BoundingBox minx="${bounds.minX}" miny="${bounds.minY}" maxx="${bounds.maxX}" maxy="${bounds.maxY}"/>`,
      `<Origin x="${bounds.minX}" y="${bounds.minY}"/>`,
      `<TileFormat width="${tileCells}" height="${tileCells}" mime-type="${type}" extension="${ending}"/>`,
      `<TileSets profile="${profile}">\n${sets.join('')}</TileSets></TileMap>`,
    ].join(''),
  )
}
