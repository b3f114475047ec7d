import type { CrsDeclaration, CrsShape } from '../crs.ts'
import { declarationShape } from '../crs-declaration.ts'
import { hasDatum, hasEllipsoid } from '../crs-match.ts'
import type { Projector } from '../crs-projector.ts'
import { findProjector } from '../crs-projector.ts'
import type { Envelope } from '../envelope.ts'
import { gridPoints, pointsBox } from './grid-points.ts'
import type { System } from './systems.ts'
import { systems } from './systems.ts'

/** A CRS in which some data have nearly the same position as by a definition without a code. */
export interface CompatibleCrs {
  system: System
  /** Maximum distance from the position by the definition, in metres. */
  metres: number
  /** Location of the data: west, south, east, north in degrees. */
  falls: [number, number, number, number]
}

const metresPerDegree = 111_200
const maxMetres = 1000
const maxFound = 9

/** Returns where data lie in a declared CRS: west, south, east, north in degrees; undefined where PROJ alone can tell. */
export function intersectDeclared(
  declaration: CrsDeclaration,
  envelope: Envelope,
): [number, number, number, number] | undefined {
  const shape = declarationShape(declaration)
  const points = shape === undefined ? undefined : pointsIn(shape, findProjector(shape), envelope)
  return points === undefined ? undefined : pointsBox(points)
}

function pointsIn(
  shape: CrsShape,
  projector: Projector | undefined,
  envelope: Envelope,
): [number, number][] | undefined {
  return projector === undefined ? undefined : gridPoints(projector, shape.primeMeridian, envelope)
}

/**
 * Returns the systems that are compatible with a declared definition, the nearest first: they have its datum, or its
 * ellipsoid where it names no datum that is known, and put the data within a kilometre of where it does.
 */
export function findCompatible(declaration: CrsDeclaration, envelope: Envelope): CompatibleCrs[] {
  const shape = declarationShape(declaration)
  if (shape === undefined) return []
  const declared = pointsIn(shape, findProjector(shape), envelope)
  if (declared === undefined) return []
  const alike = systems().filter((system) => system.shape.kind === shape.kind)
  const ofDatum = alike.filter(({ row }) => shape.datumName !== undefined && hasDatum(shape, row.datum))
  const candidates =
    ofDatum.length > 0 ? ofDatum : alike.filter((one) => hasEllipsoid(shape, one.shape, 1e-3))
  const found = candidates.flatMap((system): CompatibleCrs[] => {
    const points = pointsIn(system.shape, system.projector(), envelope)
    if (points === undefined) return []
    const metres = furthest(points, declared) * metresPerDegree
    return metres <= maxMetres ? [{ system, metres, falls: pointsBox(points) }] : []
  })
  return found.sort((a, b) => a.metres - b.metres || b.system.prior - a.system.prior).slice(0, maxFound)
}

/** The most degrees of latitude between two lists of points, about. */
function furthest(points: [number, number][], others: [number, number][]): number {
  return Math.max(
    ...points.map(([x, y], at) => {
      const [otherX, otherY] = others[at] ?? [Number.NaN, Number.NaN]
      return Math.hypot((x - otherX) * Math.cos((y * Math.PI) / 180), y - otherY)
    }),
  )
}
