/**
 * Last migration of each published release, the oldest first; empty before the first release. A release with
 * new migrations adds its last one.
 */
const releasedMigrations: readonly string[] = []

/** Name of the row in `settings`. */
export const schemaVersionSetting = 'schema-version'

/**
 * Returns the table version after these migrations, from 1: the number of included releases, plus one for
 * unreleased migrations.
 */
export function schemaVersionOf(
  migrations: readonly string[],
  released: readonly string[] = releasedMigrations,
): number {
  const newest = migrations.toSorted().at(-1) ?? ''
  const contained = released.filter((last) => last <= newest)
  return contained.length + (newest > (contained.at(-1) ?? '') ? 1 : 0)
}

/**
 * True if a program of one version can use tables of the other: they differ by at most one, for rolling
 * upgrades.
 */
export function isNeighbour(first: number, second: number): boolean {
  return Math.abs(first - second) <= 1
}
