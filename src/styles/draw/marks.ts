/** Corners of a regular polygon around 0, 0, the first at the top, within a circle of radius 0.5. */
function polygon(corners: number): string {
  const points = Array.from({ length: corners }, (_, index) => {
    const angle = (index / corners) * 2 * Math.PI
    return `${round(Math.sin(angle) / 2)} ${round(-Math.cos(angle) / 2)}`
  })
  return `M${points.join('L')}Z`
}

/** A star; `inner` is the radius of its inner corners relative to the outer ones. */
function star(corners: number, inner: number): string {
  const points = Array.from({ length: corners * 2 }, (_, index) => {
    const angle = (index / corners) * Math.PI
    const radius = index % 2 === 0 ? 0.5 : 0.5 * inner
    return `${round(Math.sin(angle) * radius)} ${round(-Math.cos(angle) * radius)}`
  })
  return `M${points.join('L')}Z`
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}

const circle = 'M-.5 0A.5 .5 0 1 1 .5 0A.5 .5 0 1 1 -.5 0Z'
const cross = 'M-.14 -.5H.14V-.14H.5V.14H.14V.5H-.14V.14H-.5V-.14H-.14Z'
const x = 'M-.5 -.3L-.3 -.5L0 -.2L.3 -.5L.5 -.3L.2 0L.5 .3L.3 .5L0 .2L-.3 .5L-.5 .3L-.2 0Z'

/**
 * Outlines of map symbols as SVG path data, in a square of 1 around 0, 0; y goes down. Drawn for this project, and free for
 * any use (CC0). Their names are those that `style.json` may ask the sprite for.
 */
export const marks = {
  circle,
  square: 'M-.5 -.5H.5V.5H-.5Z',
  triangle: 'M0 -.5L.5 .5H-.5Z',
  star: star(5, 0.4),
  cross,
  x,
  diamond: 'M0 -.5L.5 0L0 .5L-.5 0Z',
  pentagon: polygon(5),
  hexagon: polygon(6),
  octagon: polygon(8),
  arrow: 'M0 -.5L.4 .1H.14V.5H-.14V.1H-.4Z',
  arrowhead: 'M0 -.5L.4 .5L0 .25L-.4 .5Z',
  pin: 'M0 .5C-.1 .2 -.32 .08 -.32 -.18A.32 .32 0 1 1 .32 -.18C.32 .08 .1 .2 0 .5ZM0 -.3A.12 .12 0 1 0 0 -.06A.12 .12 0 1 0 0 -.3Z',
  flag: 'M-.4 -.5H-.3V-.45L.45 -.22L-.3 .02V.5H-.4Z',
  'half-circle': 'M-.5 .25A.5 .5 0 0 1 .5 .25Z',
  line: 'M-.06 -.5H.06V.5H-.06Z',
  horline: 'M-.5 -.06H.5V.06H-.5Z',
  ring: `${circle}M-.3 0A.3 .3 0 1 0 .3 0A.3 .3 0 1 0 -.3 0Z`,
  house: 'M0 -.5L.5 -.05H.36V.5H.12V.15H-.12V.5H-.36V-.05H-.5Z',
  tree: 'M0 -.5L.34 -.02H.17L.42 .3H.07V.5H-.07V.3H-.42L-.17 -.02H-.34Z',
  peak: 'M0 -.45L.5 .45H-.5ZM0 -.13L-.24 .29H.24Z',
  water: 'M0 -.5C.12 -.24 .34 -.02 .34 .17A.34 .33 0 1 1 -.34 .17C-.34 -.02 -.12 -.24 0 -.5Z',
} as const
/** Name of one of `marks`. */
type MarkName = keyof typeof marks

/** Returns the outline of a mark; a circle for unknown names. */
export function markPath(name: string): string {
  return Object.hasOwn(marks, name) ? marks[name as MarkName] : marks.circle
}
