import type { ModuleLayer } from './module-plan.ts'

export const drawing = 'docs/modules.svg'

const [cardWidth, passageWidth, gap, levelGap, margin] = [210, 4, 22, 50, 20]
const [titleHeight, lineHeight, lineLength] = [30, 16, 31]

/** Node of the drawing: a folder, or a point that an arrow to a lower level passes through. */
interface ChartNode {
  name: string
  /** Packages of the folder; undefined for a point of an arrow. */
  lines: string[] | undefined
  level: number
  /** The places just below to which arrows lead. */
  below: ChartNode[]
  width: number
  height: number
  x: number
  y: number
}

/** Draws the folders of `src/`: each above the folders that it imports, the lowest level at the bottom. */
export function drawModules(layers: ModuleLayer[]): string {
  const places = arrange(connect(layers))
  const width = Math.max(...places.map((place) => place.x + place.width)) + margin
  const height = Math.max(...places.map((place) => place.y + place.height)) + margin
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif">`,
    '<title>The folders of src/, each above those that it imports</title>',
    style,
    ...places.flatMap((from) => from.below.map((to) => toArrow(from, to))),
    ...places.filter(({ lines }) => lines !== undefined).map(toBox),
    '</svg>',
    '',
  ].join('\n')
}

const style = `<style>
rect { fill: #f4f7f5; stroke: #3d6b57; }
path { fill: none; stroke: #8aa79a; stroke-width: 1.5; }
path.head { fill: #8aa79a; stroke: none; }
text { fill: #1d2b25; font-size: 12px; text-anchor: middle; }
text.name { font-size: 15px; font-weight: 600; }
@media (prefers-color-scheme: dark) {
  rect { fill: #1b2621; stroke: #7fb39b; }
  path { stroke: #5f7d70; }
  path.head { fill: #5f7d70; }
  text { fill: #e3ece7; }
}
</style>`

/** Creates the nodes of the folders, with points for arrows that span more than one level. */
function connect(layers: ModuleLayer[]): ChartNode[] {
  const places = layers.map(toPlace)
  const passages = new Map<string, ChartNode>()
  const wayTo = (target: ChartNode, level: number): ChartNode => {
    if (level === target.level) return target
    const key = `${target.name} ${level}`
    const known = passages.get(key)
    if (known !== undefined) return known
    const passage: ChartNode = {
      ...target,
      lines: undefined,
      level,
      below: [],
      width: passageWidth,
      height: 0,
    }
    passages.set(key, passage)
    passage.below = [wayTo(target, level - 1)]
    return passage
  }
  for (const [index, { needs }] of layers.entries()) {
    const from = places[index] as ChartNode
    const targets = places.filter(({ name }) => needs.includes(name))
    from.below = targets.map((target) => wayTo(target, from.level - 1))
  }
  return [...places, ...passages.values()]
}

function toPlace({ name, modules, level }: ModuleLayer): ChartNode {
  const lines: string[] = []
  for (const module of modules) {
    const longer = `${lines.at(-1)} · ${module}`
    if (lines.length === 0 || longer.length > lineLength) lines.push(module)
    else lines[lines.length - 1] = longer
  }
  const height = titleHeight + lines.length * lineHeight + (lines.length > 0 ? 8 : 0)
  return { name, lines, level, below: [], width: cardWidth, height, x: 0, y: 0 }
}

/**
 * Arranges the levels from the top, each centred. Within a level, nodes are sorted by the mean position of
 * their importers.
 */
function arrange(places: ChartNode[]): ChartNode[] {
  const levels = Map.groupBy(places, ({ level }) => level)
  const widest = Math.max(...[...levels.values()].map(widthOf))
  let y = margin
  for (const level of [...levels.keys()].sort((a, b) => b - a)) {
    const row = (levels.get(level) ?? []).toSorted(
      (a, b) => middleOfUsers(a, places) - middleOfUsers(b, places),
    )
    const height = Math.max(...row.map((place) => place.height))
    let x = margin + (widest - widthOf(row)) / 2
    for (const place of row) {
      Object.assign(place, { x, y, height: place.lines === undefined ? height : place.height })
      x += place.width + gap
    }
    y += height + levelGap
  }
  return places
}

function widthOf(row: ChartNode[]): number {
  return row.reduce((sum, { width }) => sum + width + gap, -gap)
}

function middleOfUsers(place: ChartNode, places: ChartNode[]): number {
  const users = places.filter(({ below }) => below.includes(place))
  return users.reduce((sum, user) => sum + middle(user), 0) / Math.max(1, users.length)
}

function middle({ x, width }: ChartNode): number {
  return x + width / 2
}

function toArrow(from: ChartNode, to: ChartNode): string {
  const isEnd = to.lines !== undefined
  const [startX, startY] = [middle(from), from.y + from.height]
  const [endX, endY] = [middle(to), isEnd ? to.y - 7 : to.y]
  const half = (startY + endY) / 2
  const curve = `M${startX} ${startY}C${startX} ${half} ${endX} ${half} ${endX} ${endY}`
  const through = isEnd ? '' : `v${to.height}`
  const head = isEnd ? `<path class="head" d="M${endX - 5} ${endY}h10l-5 7z"/>` : ''
  return `<path d="${curve}${through}"/>${head}`
}

function toBox(place: ChartNode): string {
  const { name, lines = [], x, y, width, height } = place
  const texts = lines.map((line, index) => {
    const at = y + titleHeight + 12 + index * lineHeight
    return `<text x="${middle(place)}" y="${at}">${line}</text>`
  })
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    `<text class="name" x="${middle(place)}" y="${y + 20}">${name}</text>`,
    ...texts,
  ].join('\n')
}
