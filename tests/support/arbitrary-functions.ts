/** A filter in both notations of CQL2, and the condition that means the same in PostgreSQL. */
export interface WrittenFilter {
  text: string
  json: object
  sql: string
}

const property = (name: string): object => ({ property: name })

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const call = (op: string, ...args: unknown[]): object => ({ op, args })

/** Texts in small or capital letters. */
export function changed(name: 'lower' | 'upper', op: string, value: string): WrittenFilter {
  const inSql = (of: string): string => `${name}(${of} collate "und-x-icu") collate "C"`
  return {
    text: `${name.toUpperCase()}(name) ${op} ${name}(${quoted(value)})`,
    json: { op, args: [call(name, property('name')), call(name, value)] },
    sql: `${inSql('name')} ${op} ${inSql(quoted(value))}`,
  }
}

/** Numbers of characters. */
export function length(op: string, value: number): WrittenFilter {
  return {
    text: `LENGTH(ACCENTI(name)) ${op} ${value}`,
    json: { op, args: [call('length', call('accenti', property('name'))), value] },
    sql: `char_length(name) ${op} ${value}`,
  }
}

/** Rounded numbers: halves go away from zero, as they do in PostgreSQL for decimals alone. */
export function rounded(op: string, name: string, value: number): WrittenFilter {
  return {
    text: `ROUND(${name}) ${op} ${value}`,
    json: { op, args: [call('round', property(name)), value] },
    sql: `round(${name}::text::numeric) ${op} ${value}`,
  }
}

/** Absolute values. */
export function absolute(op: string, name: string, value: number): WrittenFilter {
  return {
    text: `Abs(${name}) ${op} ABS(-${value})`,
    json: { op, args: [call('abs', property(name)), call('abs', -value)] },
    sql: `abs(${name}) ${op} ${value}`,
  }
}

/** Compares a calculation of doubles with one of integers. */
export function ratio(op: string, value: number): WrittenFilter {
  return {
    text: `(i + 3) / f*-2 ${op} ${value} - i DIV 7 % 4`,
    json: {
      op,
      args: [
        call('*', call('/', call('+', property('i'), 3), property('f')), -2),
        call('-', value, call('%', call('div', property('i'), 7), 4)),
      ],
    },
    sql: `(i + 3) / nullif(f, 0) * -2::float8 ${op} ${value} - div(i, 7) % 4`,
  }
}

/** Integers that a double cannot distinguish. */
export function exactSum(op: string, value: number): WrittenFilter {
  return {
    text: `2 * (big -${value}) ${op} 18014398509481980`,
    json: { op, args: [call('*', 2, call('-', property('big'), value)), 18014398509481980] },
    sql: `2 * (big - ${value}) ${op} 18014398509481980`,
  }
}

/** Nested functions. */
export function roundedAbsolute(op: string, value: number): WrittenFilter {
  return {
    text: `round(abs(round(f))) ${op} ROUND(${value}.5)`,
    json: {
      op,
      args: [call('round', call('abs', call('round', property('f')))), call('round', value + 0.5)],
    },
    sql: `round(f::text::numeric) ${op} ${value + 1}`,
  }
}
