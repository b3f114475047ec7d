/**
 * Last migration of each published release, the oldest first; empty before the first release. A release with
 * new migrations adds its last one.
 */
const releasedMigrations: readonly string[] = []

/** Name of the row in `settings`. */
export const schemaVersionSetting = 'schema-version'

/**
 * Returns the version of the tables after these migrations, from 1: the number of releases that they contain, and
 * one more for migrations that are not released yet.
 */
export function schemaVersionOf(
  migrations: readonly string[],
  released: readonly string[] = releasedMigrations,
): number {
  const newest = migrations.toSorted().at(-1) ?? ''
  const contained = released.filter((last) => last <= newest)
  return contained.length + (newest > (contained.at(-1) ?? '') ? 1 : 0)
}

/** A program uses tables of its own version, and of the version before and after it, for a rolling upgrade. */
export function isNeighbour(first: number, second: number): boolean {
  return Math.abs(first - second) <= 1
}
