import { allRows, findArea } from '../crs-table.ts'
import { priorOf } from './systems.ts'
import { isListed } from './usage.ts'

/** A CRS that was searched for by words. */
export interface CrsSearchResult {
  srs: string
  name: string
  areaName: string
  isDeprecated: boolean
}

interface Searched extends CrsSearchResult {
  /** Name, code and area in lower case, without accents. */
  text: string
  nameText: string
  /** Logarithm of the likelihood relative to others with the same name, before the search words count. */
  prior: number
}

let all: Searched[] | undefined

function plain(text: string): string {
  return text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
}

function searched(): Searched[] {
  all ??= allRows()
    .filter(({ type }) => type === 'projected' || type === 'geographic 2D')
    .map((row) => {
      const { srs, name, area, isDeprecated } = row
      const areaName = findArea(area)?.name ?? ''
      const nameText = plain(name)
      const text = `${plain(srs)} ${nameText} ${plain(areaName)}`
      return {
        srs,
        name,
        areaName,
        isDeprecated,
        text,
        nameText,
        prior: priorOf(row) + (isListed(row) ? 2 : 0),
      }
    })
  return all
}

/**
 * CRSs of which code, name or area have every word, the best first: the very code, then names that begin so, and those
 * that data are kept in; deprecated ones last.
 */
export function searchCrs(words: string, limit: number): { found: CrsSearchResult[]; total: number } {
  const requested = plain(words).trim()
  const parts = requested.split(/[\s,;]+/).filter((one) => one !== '')
  if (parts.length === 0) return { found: [], total: 0 }
  const fitting = searched().filter(({ text }) => parts.every((part) => text.includes(part)))
  const ranked = fitting.map((one) => ({ one, rank: rankOf(one, requested, parts) }))
  ranked.sort((a, b) => a.rank - b.rank || (a.one.srs < b.one.srs ? -1 : 1))
  const found = ranked
    .slice(0, limit)
    .map(({ one: { srs, name, areaName, isDeprecated } }) => ({ srs, name, areaName, isDeprecated }))
  return { found, total: fitting.length }
}

function rankOf(
  { srs, text, nameText, isDeprecated, prior }: Searched,
  requested: string,
  parts: readonly string[],
): number {
  const code = plain(srs)
  if (code === requested || code === `epsg:${requested}`) return -100
  // Of names that fit alike the plainest.
  let rank = (isDeprecated ? 100 : 0) + nameText.length / 20 - prior
  if (!code.startsWith('epsg')) rank += 10
  if (parts.every((part) => ` ${text}`.includes(` ${part}`))) rank -= 5
  if (nameText.startsWith(requested)) rank -= 4
  else if (parts.every((part) => nameText.includes(part))) rank -= 2
  return rank
}
