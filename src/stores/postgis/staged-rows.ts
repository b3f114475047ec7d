import { quoteIdentifier, quoteTable, quoteText } from '../../core/postgres/quote.ts'
import type { Attribute, Schema } from '../../geo/schema.ts'
import { columnType, geometryColumnType } from './column-types.ts'
import type { RowCheck } from './constraints.ts'
import type { HeldRows } from './held-rows.ts'
import { freeIdentifier, stagingName } from './identifiers.ts'
import { advanceSequence, removeUnusedIds } from './kept-ids.ts'
import type { TextRow } from './read-rows.ts'
import { attributeSql, batchOfRows, geometrySql, textTypes } from './read-rows.ts'
import type { SentRows } from './send-rows.ts'
import { findServerValues, sendRows } from './send-rows.ts'
import type { Connection } from './session.ts'
import type { LoadContext } from './stage-table.ts'
import type { ColumnFacts, TableFacts } from './table-facts.ts'
import type { TargetPlan } from './target-plan.ts'

const rejectPage = 1024

/** True if an expression calls no function, so that its value is constant. */
function isConstant(sql: string): boolean {
  const plain = sql.replaceAll(/'(?:[^']|'')*'/g, "''")
  return !/[\w"]\s*\((?!\s*\d)|\b(?:current|local|session|user|system)/i.test(plain)
}

/** The rows of a load in a table of their own, until they are placed. */
export class StagedRows {
  readonly staging: string
  readonly #context: LoadContext
  readonly #connection: Connection
  readonly #plan: TargetPlan
  readonly #facts: TableFacts
  /** Column of the staging table with the row number in the source. */
  readonly #rowColumn: string

  constructor(context: LoadContext, connection: Connection, plan: TargetPlan, facts: TableFacts) {
    this.#context = context
    this.#connection = connection
    this.#plan = plan
    this.#facts = facts
    this.staging = quoteTable(context.settings.schema, stagingName(context.request.loadId))
    this.#rowColumn = quoteIdentifier(freeIdentifier('terrane_row', (name) => plan.columns.includes(name)))
  }

  async stage(): Promise<SentRows> {
    if (this.#context.retainedRows !== undefined) return { ...this.#context.retainedRows }
    const { staging } = this
    const { batches, hooks } = this.#context
    const connection = this.#connection
    const { layout, columns, geometryColumn } = this.#plan
    const definitions = [
      `${this.#rowColumn} bigint`,
      ...layout.attributes.map(({ target }, index) => {
        const column = this.#plan.matched[index]
        const type = column?.attribute === undefined ? columnType(target) : column.sqlType
        return `${quoteIdentifier(column?.name ?? target.name)} ${type}`
      }),
      ...(geometryColumn === undefined
        ? []
        : [`${quoteIdentifier(geometryColumn)} ${this.#sentGeometryType()}`]),
    ]
    await connection.run('beginning', `drop table if exists ${staging}`)
    await connection.run('beginning', 'begin')
    await connection.run(
      'creating the staging table',
      `create unlogged table ${staging} (${definitions.join(', ')})`,
    )
    const list = [this.#rowColumn, ...columns.map(quoteIdentifier)].join(', ')
    const values = await findServerValues(connection, layout)
    const writer = connection.copy(`copy ${staging} (${list}) from stdin (format binary, freeze)`)
    const sent = await sendRows(writer, { layout: { ...layout, hasRowNumber: true }, values }, batches, hooks)
    const { keptId } = this.#plan
    if (keptId !== undefined && !sent.hasUniqueIds) {
      const order = this.#rowColumn
      await removeUnusedIds(
        connection,
        { ...keptId, relation: staging, order, table: this.#facts.name },
        hooks,
      )
    }
    await connection.run('staging the rows', 'commit')
    return sent
  }

  /** Uses the type of the target column if it accepts the sent geometries. */
  #sentGeometryType(): string {
    const { geometry } = this.#facts
    const isExact = geometry !== undefined && !geometry.isGeography && geometry.hasDeclaredSrid
    return isExact ? geometryColumnType(geometry.rules, geometry.srid) : 'geometry'
  }

  /**
   * Converts the staged rows to the types of the target, after rejecting values that cannot be converted, so
   * that they compare with its rows. Fills columns that the data lack with the default value of the target,
   * if constant.
   */
  async settle({ fillsMissing }: { fillsMissing: boolean }): Promise<HeldRows & { notTried: string[] }> {
    const { columns, matched, geometryColumn } = this.#plan
    const { geometry } = this.#facts
    const changes = matched
      .filter(({ attribute }) => attribute === undefined)
      .map(({ name, sqlType }) => {
        const column = quoteIdentifier(name)
        return `alter column ${column} type ${sqlType} using ${column}::${sqlType}`
      })
    if (geometryColumn !== undefined && geometry !== undefined && this.#sentGeometryType() === 'geometry') {
      const column = quoteIdentifier(geometryColumn)
      const placed = geometry.srid > 0 ? `ST_SetSRID(${column}, ${geometry.srid})` : column
      if (geometry.isGeography)
        changes.push(`alter column ${column} type geography using (${placed})::geography`)
      else if (geometry.srid > 0) changes.push(`alter column ${column} type geometry using ${placed}`)
    }
    const missing = fillsMissing
      ? this.#facts.columns.filter(
          ({ name, isGenerated, isNumbered }) => !columns.includes(name) && !isGenerated && !isNumbered,
        )
      : []
    const filled = missing.filter(({ defaultSql }) => defaultSql === undefined || isConstant(defaultSql))
    for (const { name, sqlType, defaultSql } of filled) {
      changes.push(`add column ${quoteIdentifier(name)} ${sqlType} default ${defaultSql ?? 'null'}`)
    }
    if (changes.length > 0) {
      await this.#connection.run(
        'converting the staged rows',
        `alter table ${this.staging} ${changes.join(', ')}`,
      )
    }
    return {
      relation: this.staging,
      facts: this.#facts,
      columns: [...columns, ...filled.map(({ name }) => name)],
      identity: this.#plan.identity,
      notTried: filled.length < missing.length ? ['defaults'] : [],
    }
  }

  /**
   * Rejects rows whose text is not valid for a column of another type (an enumeration, JSON, a network
   * address).
   */
  async rejectUncastable(sent: SentRows): Promise<void> {
    const foreign = this.#plan.matched.filter(({ attribute }) => attribute === undefined)
    if (foreign.length === 0) return
    await this.#connection.run(
      'preparing the conversion',
      `create or replace function pg_temp.terrane_casts(value text, type text) returns boolean language plpgsql as
       $body$ begin execute format('select cast(%L as %s)', value, type); return true;
       exception when others then return false; end $body$`,
    )
    for (const column of foreign) {
      const name = quoteIdentifier(column.name)
      await this.rejectViolators(
        {
          field: column.name,
          reason: `The value cannot become ${column.sqlType}`,
          violators: () => `select ctid as terrane_ctid from ${this.staging}
            where ${name} is not null and not pg_temp.terrane_casts(${name}, ${quoteText(column.sqlType)})`,
        },
        sent,
        true,
      )
    }
  }

  /** `sides` are those of a load that updates rows in place; returns the number of rejected rows. */
  async rejectViolators(
    check: RowCheck,
    sent: SentRows,
    isReplace: boolean,
    sides?: { source: string; target: string },
  ): Promise<number> {
    const connection = this.#connection
    const target = sides?.target ?? quoteTable(this.#facts.schema, this.#facts.name)
    const violators = check.violators(sides?.source ?? this.#source(), target, isReplace)
    const doing = 'holding the rows against the constraints'
    await connection.run(doing, 'begin')
    await connection.run(doing, `create temporary table terrane_violators on commit drop as ${violators}`)
    const refused = await this.#reportViolators(check)
    if (refused > 0) {
      await connection.run(
        doing,
        `delete from ${this.staging} where ctid in (select terrane_ctid from terrane_violators)`,
      )
    }
    await connection.run(doing, 'commit')
    sent.rowsSent -= refused
    return refused
  }

  /** Rejects rows without a complete key, and all but the first row with the same key. */
  async rejectKeys(keys: readonly string[], sent: SentRows): Promise<void> {
    const list = keys.map(quoteIdentifier)
    const isNull = list.map((key) => `${key} is null`).join(' or ')
    const field = keys.length === 1 && keys[0] !== undefined ? { field: keys[0] } : {}
    await this.rejectViolators(
      {
        ...field,
        reason: `The key ${keys.join(', ')} is null`,
        violators: () => `select ctid as terrane_ctid from ${this.staging} where ${isNull}`,
      },
      sent,
      true,
    )
    const values = keys.map((key, n) => `${quoteText(`${key} = `)} || ${list[n]}::text`).join(` || ', ' || `)
    const rows = `(select ctid, *, row_number() over same as terrane_occurrence,
      first_value(${this.#rowColumn}) over same as terrane_first from ${this.staging}
      window same as (partition by ${list.join(', ')} order by ${this.#rowColumn})) counted`
    await this.rejectViolators(
      {
        ...field,
        reason: `The key ${keys.join(', ')} stands in an earlier row`,
        hasReasons: true,
        violators: () => `select ctid as terrane_ctid,
          'Row ' || terrane_first || ' has the same key: ' || ${values} as terrane_reason
          from ${rows} where terrane_occurrence > 1`,
      },
      sent,
      true,
    )
  }

  async #reportViolators(check: RowCheck): Promise<number> {
    const { hooks } = this.#context
    const doing = 'reading refused rows'
    const schema = this.#stagedSchema()
    const list = schema.attributes.map(({ name, type }) => attributeSql(quoteIdentifier(name), type, ''))
    if (schema.geometry !== undefined) list.push(geometrySql(quoteIdentifier(schema.geometry.name), false))
    const reason = check.hasReasons ? 'refused.terrane_reason' : 'null'
    await this.#connection.run(
      doing,
      `declare terrane_refused no scroll cursor for select ${[`staged.${this.#rowColumn}::text`, ...list, reason].join(', ')}
       from ${this.staging} staged join terrane_violators refused on refused.terrane_ctid = staged.ctid
       order by staged.ctid`,
    )
    let refused = 0
    while (true) {
      const { rows } = await this.#connection.client.query<TextRow>({
        text: `fetch ${rejectPage} from terrane_refused`,
        rowMode: 'array',
        types: textTypes,
      })
      if (rows.length === 0) break
      const batch = batchOfRows(schema, rows, 1, (row) => Number(row[0]))
      const { field } = check
      for (let row = 0; row < batch.rowCount; row += 1) {
        const reported = rows[row]?.at(-1) ?? check.reason
        hooks.onReject(batch, row, field === undefined ? { reason: reported } : { field, reason: reported })
      }
      refused += rows.length
    }
    await this.#connection.run(doing, 'close terrane_refused')
    return refused
  }

  /**
   * Runs DELETE and INSERT, in one statement if other tables reference the rows, so that constraints see the
   * new ones.
   */
  async insert(isReplace: boolean, isReferenced: boolean): Promise<void> {
    const connection = this.#connection
    const target = quoteTable(this.#facts.schema, this.#facts.name)
    const columns = this.#plan.columns.map(quoteIdentifier).join(', ')
    const list = columns === '' ? '' : ` (${columns})`
    const insert = `insert into ${target}${list} select ${columns} from ${this.#source()} as staged`
    const doing = 'putting the rows in place'
    if (isReplace && isReferenced) {
      const where = 'where (select count(*) from gone) >= 0'
      await connection.run(
        doing,
        `with gone as (delete from ${target} returning 1) ${insert} ${where} order by terrane_ctid`,
      )
    } else {
      if (isReplace) await connection.run(doing, `delete from ${target}`)
      await connection.run(doing, `${insert} order by terrane_ctid`)
    }
    for (const column of this.#plan.matched.filter(({ isNumbered }) => isNumbered)) {
      await this.advanceSequence(column)
    }
  }

  async advanceSequence(column: ColumnFacts): Promise<void> {
    const relation = quoteTable(this.#facts.schema, this.#facts.name)
    await advanceSequence(this.#connection, { relation, column: column.name })
  }

  /** Returns SQL for the staged rows with the types of the target. */
  #source(): string {
    const columns = this.#plan.matched.map((column) => {
      const name = quoteIdentifier(column.name)
      return column.attribute === undefined ? `${name}::${column.sqlType} as ${name}` : name
    })
    const { geometry } = this.#facts
    if (this.#plan.geometryColumn !== undefined && geometry !== undefined) {
      const name = quoteIdentifier(geometry.name)
      const placed = geometry.srid > 0 ? `ST_SetSRID(${name}, ${geometry.srid})` : name
      columns.push(`${geometry.isGeography ? `(${placed})::geography` : placed} as ${name}`)
    }
    return `(select ${['ctid as terrane_ctid', ...columns].join(', ')} from ${this.staging})`
  }

  #stagedSchema(): Schema {
    const attributes: Attribute[] = this.#plan.layout.attributes.map(({ target }, index) => ({
      ...target,
      name: this.#plan.matched[index]?.name ?? target.name,
    }))
    const { geometryColumn } = this.#plan
    const { geometry } = this.#context.request.schema
    return {
      attributes,
      geometry:
        geometryColumn === undefined || geometry === undefined
          ? undefined
          : { ...geometry, name: geometryColumn },
    }
  }
}
