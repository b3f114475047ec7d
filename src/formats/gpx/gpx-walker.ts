import type { RowParser, RowSink } from '../xml/row-sink.ts'
import { takeRow } from '../xml/row-sink.ts'
import type { ElementHandler } from '../xml/walk-elements.ts'
import type { XmlScanner } from '../xml/xml-scanner.ts'
import type { XmlSource } from '../xml/xml-source.ts'
import { Counter } from './counter.ts'
import type { GpxLayer } from './gpx-fields.ts'
import { gpxField } from './gpx-fields.ts'
import type { GpxWord } from './gpx-words.ts'
import { words, wordTable } from './gpx-words.ts'
import { GpxLineParser } from './line-parser.ts'
import { PointParser } from './point-parser.ts'

/** Permitted parents of numbered elements; elements elsewhere are skipped. */
const parents: Partial<Record<GpxWord, GpxWord>> = {
  wpt: 'gpx',
  rte: 'gpx',
  trk: 'gpx',
  rtept: 'rte',
  trkseg: 'trk',
  trkpt: 'trkseg',
}

/**
 * Passes the rows of some layers to their sinks. Enters routes and tracks only if no sink reads them as a
 * whole.
 */
export class GpxWalker implements ElementHandler {
  shortLines = 0
  readonly #scanner: XmlScanner
  readonly #sinks: Partial<Record<GpxLayer, RowSink>>
  readonly #everySink: readonly RowSink[]
  readonly #rows: Partial<Record<GpxLayer, number>> = {}
  readonly #line: GpxLineParser
  readonly #waypoint: PointParser
  readonly #routePoint: PointParser
  readonly #trackPoint: PointParser
  readonly #route = new Counter(gpxField('route_fid'))
  readonly #routePointId = new Counter(gpxField('route_point_id'))
  readonly #track = new Counter(gpxField('track_fid'))
  readonly #segment = new Counter(gpxField('track_seg_id'))
  readonly #segmentPointId = new Counter(gpxField('track_seg_point_id'))
  /** Entered elements; undefined for a skipped one. */
  readonly #entered: (GpxWord | undefined)[] = []
  #routes = 0
  #tracks = 0
  #segments = 0
  #points = 0

  constructor(source: XmlSource, sinks: Partial<Record<GpxLayer, RowSink>>) {
    const { scanner } = source
    this.#scanner = scanner
    this.#sinks = sinks
    this.#everySink = Object.values(sinks)
    this.#line = new GpxLineParser(scanner)
    this.#waypoint = new PointParser(scanner, [])
    this.#routePoint = new PointParser(scanner, [this.#route, this.#routePointId])
    this.#trackPoint = new PointParser(scanner, [this.#track, this.#segment, this.#segmentPointId])
    source.place = () =>
      Object.entries(this.#rows)
        .map(([layer, rows]) => `behind ${rows} ${layer}`)
        .join(', ')
  }

  get isFull(): boolean {
    for (const sink of this.#everySink) if (sink.isFull) return true
    return false
  }

  open(): boolean {
    const word = words[this.#scanner.word(wordTable)]
    const around = this.#entered.at(-1)
    if (this.#entered.length === 0) return this.#enter(word)
    if (word === undefined || around === undefined || parents[word] !== around) return this.#enter(undefined)
    switch (word) {
      case 'wpt':
        return this.#take('waypoints', this.#waypoint)
      case 'rte':
        if (this.#sinks.routes !== undefined) return this.#takeLine('routes')
        this.#route.set(this.#routes)
        this.#routes += 1
        this.#points = 0
        return this.#enter(word)
      case 'trk':
        if (this.#sinks.tracks !== undefined) return this.#takeLine('tracks')
        this.#track.set(this.#tracks)
        this.#tracks += 1
        this.#segments = 0
        return this.#enter(word)
      case 'trkseg':
        this.#segment.set(this.#segments)
        this.#segments += 1
        this.#points = 0
        return this.#enter(word)
      case 'rtept':
        this.#routePointId.set(this.#points)
        return this.#take('route_points', this.#routePoint)
      default:
        this.#segmentPointId.set(this.#points)
        return this.#take('track_points', this.#trackPoint)
    }
  }

  close(): void {
    this.#entered.pop()
  }

  #enter(word: GpxWord | undefined): false {
    this.#entered.push(word)
    return false
  }

  #takeLine(layer: GpxLayer): boolean {
    this.#take(layer, this.#line)
    this.shortLines += this.#line.shortLines
    return true
  }

  #take(layer: GpxLayer, parser: RowParser): boolean {
    const sink = this.#sinks[layer]
    if (sink === undefined) return this.#enter(undefined)
    const row = (this.#rows[layer] ?? 0) + 1
    takeRow(this.#scanner, parser, sink, row)
    this.#rows[layer] = row
    this.#points += 1
    return true
  }
}
