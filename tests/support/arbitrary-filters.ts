import type { WrittenFilter } from './arbitrary-functions.ts'
import {
  absolute,
  changed,
  exactSum,
  length,
  ratio,
  rounded,
  roundedAbsolute,
} from './arbitrary-functions.ts'

const property = (name: string): object => ({ property: name })
const comparisons = ['=', '<>', '<', '<=', '>', '>='] as const
const wkt = [
  'POLYGON((3.5 2.5,9 2.5,9 8,3.5 8,3.5 2.5))',
  'POINT(5 4)',
  'LINESTRING(0 0,12 14)',
  'MULTIPOLYGON(((1 1,2 1,2 2,1 2,1 1)),((10 10,16 10,16 17,10 17,10 10)))',
  'POLYGON((4 3,5 3,5 4,4 4,4 3))',
]
const geoJson = [
  {
    type: 'Polygon',
    coordinates: [
      [
        [3.5, 2.5],
        [9, 2.5],
        [9, 8],
        [3.5, 8],
        [3.5, 2.5],
      ],
    ],
  },
  { type: 'Point', coordinates: [5, 4] },
  {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [12, 14],
    ],
  },
  {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [1, 1],
          [2, 1],
          [2, 2],
          [1, 2],
          [1, 1],
        ],
      ],
      [
        [
          [10, 10],
          [16, 10],
          [16, 17],
          [10, 17],
          [10, 10],
        ],
      ],
    ],
  },
  {
    type: 'Polygon',
    coordinates: [
      [
        [4, 3],
        [5, 3],
        [5, 4],
        [4, 4],
        [4, 3],
      ],
    ],
  },
]
const relations = ['intersects', 'disjoint', 'equals', 'touches', 'within', 'contains', 'overlaps', 'crosses']

/** Numbers that are the same in each run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Filters on the columns of the samples: each kind of predicate alone, then combinations. */
export function someFilters(count: number, seed = 7): WrittenFilter[] {
  const below = numbersFrom(seed)
  const pick = <Value>(of: readonly Value[]): Value => of[below(of.length)] as Value
  const leaves: (() => WrittenFilter)[] = [
    () => compare(pick(comparisons), 'i', below(100) - 50),
    () => compare(pick(comparisons), 'f', below(97) / 8),
    () => compare(pick(comparisons), 's', below(10) / 10),
    () => bigs(pick(comparisons), 9007199254740990n + BigInt(below(7))),
    () => texts(pick(comparisons), pick(['ulm', 'Bäckerei', 'z', '日本', '𝕬bc', "O'Brien", ''])),
    () => like(pick(['%', 'U%', '%l_', '50\\% %', 'a\\_b', '_ackerei', '%r%', '日_', '%%%x%', 'ulm'])),
    () => folded(pick(['ULM', 'BÄCKEREI', 'STRASSE', "o'brien"])),
    () => bare(pick(['ulm', 'BACKEREI', 'Backerei', '日本'])),
    () => days(pick(comparisons), `2024-0${pick(['2-28', '2-29', '3-01', '3-02'])}`),
    () => moments(pick(comparisons), `2024-02-29T${pick(['00', '07', '12', '22'])}:00:00Z`),
    () => dayOfMoment(pick(comparisons), pick(['2024-02-28', '2024-02-29', '2024-03-01'])),
    () => during(),
    () => empty(pick(['name', 'i', 'd', 'geom', 'b'])),
    () => between(below(40) - 40, below(60)),
    () => amongst([below(100) - 50, below(100) - 50, below(100) - 50]),
    () => ({ text: 'b', json: property('b'), sql: 'b' }),
    () => ({ text: 'b = FALSE', json: { op: '=', args: [property('b'), false] }, sql: 'b = false' }),
    () => ({ text: 'i > f', json: { op: '>', args: [property('i'), property('f')] }, sql: 'i > f' }),
    () => ({ text: 'f <= s', json: { op: '<=', args: [property('f'), property('s')] }, sql: 'f <= s' }),
    () => relate(pick(relations), below(wkt.length), below(2) === 0),
    () => box(below(10), below(10)),
    () => turned(pick(relations), below(18), below(2) * 720 - 360),
    () => otherDigits(pick(comparisons), pick(['i', 'f', 'big']), below(100) - 50),
    () => spans(pick(instantRelations), 't', below(3), below(3)),
    () => spans(pick(instantRelations), 'd', below(3), below(3)),
    () => spanOfColumns(pick(['2024-02-28', '2024-02-29', '2024-03-02'])),
    () => likeFolded(pick(['%ÄCK%', 'STRA_E', 'u%', "O'B%", '50\\% O%'])),
    () => amongTexts(['Ulm', pick(['z', '日本', '']), pick(["O'Brien", 'a_b'])]),
    () => changed('lower', pick(comparisons), pick(['ULM', 'STRASSE', 'BÄCKEREI', '𝕬BC'])),
    () => changed('upper', pick(comparisons), pick(['ulm', 'straße', 'bäckerei', 'z'])),
    () => length(pick(comparisons), below(9)),
    () => rounded(pick(comparisons), pick(['f', 's', 'i']), below(14) - 2),
    () => absolute(pick(comparisons), pick(['i', 'f', 'big']), below(60)),
    () => roundedAbsolute(pick(comparisons), below(14)),
    () => ratio(pick(comparisons), below(20) - 10),
    () => exactSum(pick(comparisons), below(7)),
    () => betweenDays(pick(['2024-02-27', '2024-02-29']), pick(['2024-02-29', '2024-03-02'])),
  ]
  const joined = (depth: number): WrittenFilter => {
    if (depth === 0 || below(4) === 0) return pick(leaves)()
    if (below(4) === 0) return not(joined(depth - 1))
    return join(pick(['and', 'or']), [
      joined(depth - 1),
      joined(depth - 1),
      ...(below(2) ? [joined(depth - 1)] : []),
    ])
  }
  return Array.from({ length: count }, (_, index) => leaves[index >> 1]?.() ?? joined(1 + below(3)))
}

function compare(op: string, name: string, value: number): WrittenFilter {
  const type = name === 's' ? '::real' : ''
  return {
    text: `${name} ${op} ${value}`,
    json: { op, args: [property(name), value] },
    sql: `${name} ${op} (${value})${type}`,
  }
}

/**
 * Compares a large integer. A value beyond those that a double represents exactly is replaced by the largest
 * of them: JavaScript's JSON cannot write larger ones.
 */
function bigs(op: string, value: bigint): WrittenFilter {
  const exact = value <= BigInt(Number.MAX_SAFE_INTEGER) ? value : 9007199254740991n
  return {
    text: `big ${op} ${exact}`,
    json: { op, args: [property('big'), Number(exact)] },
    sql: `big ${op} ${exact}`,
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function texts(op: string, value: string): WrittenFilter {
  return {
    text: `name ${op} ${quoted(value)}`,
    json: { op, args: [property('name'), value] },
    sql: `name collate "C" ${op} ${quoted(value)}`,
  }
}

function like(pattern: string): WrittenFilter {
  return {
    text: `name LIKE ${quoted(pattern)}`,
    json: { op: 'like', args: [property('name'), pattern] },
    sql: `name like ${quoted(pattern)}`,
  }
}

function folded(value: string): WrittenFilter {
  const casei = (of: unknown): object => ({ op: 'casei', args: [of] })
  return {
    text: `CASEI(name) = casei(${quoted(value)})`,
    json: { op: '=', args: [casei(property('name')), casei(value)] },
    sql: `lower(name collate "und-x-icu") = lower(${quoted(value)} collate "und-x-icu")`,
  }
}

function bare(value: string): WrittenFilter {
  const fold = (of: unknown): object => ({ op: 'casei', args: [{ op: 'accenti', args: [of] }] })
  return {
    text: `CASEI(ACCENTI(name)) = CASEI(ACCENTI(${quoted(value)}))`,
    json: { op: '=', args: [fold(property('name')), fold(value)] },
    sql: `lower(translate(name, 'äÄ', 'aA') collate "und-x-icu") = lower(translate(${quoted(value)}, 'äÄ', 'aA') collate "und-x-icu")`,
  }
}

function days(op: string, date: string): WrittenFilter {
  return {
    text: `d ${op} DATE('${date}')`,
    json: { op, args: [property('d'), { date }] },
    sql: `d ${op} date '${date}'`,
  }
}

function moments(op: string, timestamp: string): WrittenFilter {
  return {
    text: `t ${op} TIMESTAMP('${timestamp}')`,
    json: { op, args: [property('t'), { timestamp }] },
    sql: `t ${op} timestamptz '${timestamp}'`,
  }
}

/** A date compared with a timestamp means the whole day. */
function dayOfMoment(op: string, date: string): WrittenFilter {
  return {
    text: `t ${op} DATE('${date}')`,
    json: { op, args: [property('t'), { date }] },
    sql: `(t at time zone 'UTC')::date ${op} date '${date}'`,
  }
}

function during(): WrittenFilter {
  const interval = ['2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z']
  return {
    text: `T_DURING(t, INTERVAL('${interval[0]}', '${interval[1]}'))`,
    json: { op: 't_during', args: [property('t'), { interval }] },
    sql: `t > timestamptz '${interval[0]}' and t < timestamptz '${interval[1]}'`,
  }
}

function empty(name: string): WrittenFilter {
  return { text: `${name} IS NULL`, json: { op: 'isNull', args: [property(name)] }, sql: `${name} is null` }
}

function between(least: number, most: number): WrittenFilter {
  return {
    text: `i BETWEEN ${least} AND ${most}`,
    json: { op: 'between', args: [property('i'), least, most] },
    sql: `i between ${least} and ${most}`,
  }
}

function amongst(values: number[]): WrittenFilter {
  const list = values.join(', ')
  return { text: `i IN (${list})`, json: { op: 'in', args: [property('i'), values] }, sql: `i in (${list})` }
}

function relate(relation: string, index: number, isRowFirst: boolean): WrittenFilter {
  const [text, json] = [wkt[index] ?? '', geoJson[index] ?? {}]
  const written = `ST_GeomFromText('${text}', 4326)`
  const order = <Side>(row: Side, other: Side): Side[] => (isRowFirst ? [row, other] : [other, row])
  return {
    text: `S_${relation.toUpperCase()}(${order('geom', text).join(', ')})`,
    json: { op: `s_${relation}`, args: order(property('geom'), json) },
    sql: `ST_${relation}(${order('geom', written).join(', ')})`,
  }
}

function box(x: number, y: number): WrittenFilter {
  const bbox = [x, y, x + 3, y + 2.5]
  return {
    text: `S_INTERSECTS(geometry, BBOX(${bbox.join(',')}))`,
    json: { op: 's_intersects', args: [property('geometry'), { bbox }] },
    sql: `ST_Intersects(geom, ST_MakeEnvelope(${bbox.join(',')}, 4326))`,
  }
}

const westToEast = (x: number): object => ({
  type: 'Polygon',
  coordinates: [
    [
      [x, 2],
      [x + 4, 2],
      [x + 4, 9],
      [x, 9],
      [x, 2],
    ],
  ],
})

/**
 * Polygon shifted by whole turns around the world, as a map that continues beyond the antimeridian sends it.
 */
function turned(relation: string, x: number, turn: number): WrittenFilter {
  const ring = (from: number): string =>
    `POLYGON((${from} 2,${from + 4} 2,${from + 4} 9,${from} 9,${from} 2))`
  return {
    text: `S_${relation.toUpperCase()}(geom, ${ring(x + turn)})`,
    json: { op: `s_${relation}`, args: [property('geom'), westToEast(x + turn)] },
    sql: `ST_${relation}(geom, ST_GeomFromText('${ring(x)}', 4326))`,
  }
}

/** A whole number with a point, or with a power of ten. */
function otherDigits(op: string, name: string, value: number): WrittenFilter {
  const exact = name === 'big' ? Number.MAX_SAFE_INTEGER : value
  return {
    text: `${name} ${op} ${exact}.0 AND ${name} ${op} ${exact}0e-1`,
    json: { op, args: [property(name), exact] },
    sql: `${name} ${op} ${exact}`,
  }
}

const instantRelations = ['after', 'before', 'intersects', 'disjoint'] as const
const edges = ['..', '2024-02-28', '2024-02-29']

/** Compares a timestamp or a date with an interval, which may be open at one end or both. */
function spans(
  relation: (typeof instantRelations)[number],
  name: 'd' | 't',
  first: number,
  last: number,
): WrittenFilter {
  const [from = '', to = ''] = [edges[first], edges[last]]
  const interval = from > to && to !== '..' ? [to, from] : [from, to]
  const [begin, end] = interval
  const day = name === 'd' ? 'd' : "(t at time zone 'UTC')::date"
  const isBefore = begin === '..' ? `${name} <> ${name}` : `${day} < date '${begin}'`
  const isAfter = end === '..' ? `${name} <> ${name}` : `${day} > date '${end}'`
  const conditions = {
    before: isBefore,
    after: isAfter,
    disjoint: `${isBefore} or ${isAfter}`,
    intersects: `not (${isBefore} or ${isAfter})`,
  }
  return {
    text: `T_${relation.toUpperCase()}(${name}, INTERVAL('${begin}', '${end}'))`,
    json: { op: `t_${relation}`, args: [property(name), { interval }] },
    sql: conditions[relation],
  }
}

function spanOfColumns(date: string): WrittenFilter {
  return {
    text: `T_INTERSECTS(INTERVAL(d, t), DATE('${date}'))`,
    json: { op: 't_intersects', args: [{ interval: [property('d'), property('t')] }, { date }] },
    sql: `d <= date '${date}' and (t at time zone 'UTC')::date >= date '${date}'`,
  }
}

function likeFolded(pattern: string): WrittenFilter {
  const casei = (of: unknown): object => ({ op: 'casei', args: [of] })
  return {
    text: `CASEI(name) LIKE CASEI(${quoted(pattern)})`,
    json: { op: 'like', args: [casei(property('name')), casei(pattern)] },
    sql: `lower(name collate "und-x-icu") collate "C" like lower(${quoted(pattern)} collate "und-x-icu") collate "C"`,
  }
}

function amongTexts(values: string[]): WrittenFilter {
  const list = values.map(quoted).join(', ')
  return {
    text: `name NOT IN (${list})`,
    sql: `name not in (${list})`,
    json: { op: 'not', args: [{ op: 'in', args: [property('name'), values] }] },
  }
}

function betweenDays(from: string, to: string): WrittenFilter {
  return {
    text: `d >= DATE('${from}') AND d <= '${to}'`,
    json: {
      op: 'and',
      args: [
        { op: '>=', args: [property('d'), { date: from }] },
        { op: '<=', args: [property('d'), to] },
      ],
    },
    sql: `d between date '${from}' and date '${to}'`,
  }
}

function not({ text, json, sql }: WrittenFilter): WrittenFilter {
  return { text: `NOT (${text})`, json: { op: 'not', args: [json] }, sql: `not (${sql})` }
}

function join(op: string, parts: WrittenFilter[]): WrittenFilter {
  return {
    text: parts.map(({ text }) => `(${text})`).join(op === 'and' ? ' AND ' : ' or '),
    json: { op, args: parts.map(({ json }) => json) },
    sql: parts.map(({ sql }) => `(${sql})`).join(` ${op} `),
  }
}
