import type { CrsDeclaration } from '../../geo/crs.ts'
import type { CrsAnswer } from '../../geo/crs-finding/find-crs.ts'
import { findCrsFor } from '../../geo/crs-finding/find-crs.ts'
import type { CrsClues } from '../../geo/crs-finding/hints.ts'
import type { Place } from '../../geo/crs-finding/place.ts'
import { findPlace } from '../../geo/crs-finding/place.ts'
import { createReprojector } from '../../geo/crs-reproject.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { reprojectEnvelope } from '../../geo/reproject-envelope.ts'
import { invalid } from '../../lib/errors.ts'
import { serveWork } from '../../lib/workers/serve-work.ts'

/** Other data, which may lie where those lie whose CRS is looked for. */
export interface Neighbour {
  /** `layer topp:roads`. */
  label: string
  srs: string
  envelope: Envelope
}

/** Data whose CRS is looked for. Plain data: it crosses threads. */
export interface LocateWish {
  declaration?: CrsDeclaration
  envelope?: Envelope
  /** A country or an area by its name. */
  place?: string
  neighbours: Neighbour[]
  /** What the data are called, and what their columns hold. */
  clues?: CrsClues
}

/** The CRSs that data may be in, with the places by which they were found. */
export interface Located extends CrsAnswer {
  places: string[]
}

const world = 'EPSG:4326'

async function placeOf({ label, srs, envelope }: Neighbour): Promise<Place[]> {
  try {
    const reprojector = await createReprojector(srs, world, { canUsePrograms: false })
    const box = await reprojectEnvelope(reprojector, envelope)
    return box === undefined ? [] : [{ label, boxes: [[box.minX, box.minY, box.maxX, box.maxY]] }]
  } catch {
    return []
  }
}

async function locate({ place, neighbours, declaration, envelope, clues }: LocateWish): Promise<Located> {
  const named = place === undefined ? undefined : findPlace(place)
  if (place !== undefined && named === undefined) {
    const text = `No place is known as "${place}": name a country, a state or a layer (workspace:name)`
    throw invalid('unknown-place', text)
  }
  const places = named === undefined ? (await Promise.all(neighbours.map(placeOf))).flat() : [named]
  const question = {
    places,
    ...(declaration === undefined ? {} : { declaration }),
    ...(envelope === undefined ? {} : { envelope }),
    ...(clues === undefined ? {} : { clues }),
  }
  return { ...findCrsFor(question), places: places.map(({ label }) => label) }
}

/** What the thread does that finds CRSs. */
export type LocateWork = {
  locate(wish: LocateWish): Promise<Located>
}

serveWork<LocateWork, undefined>(() => ({ locate }))
