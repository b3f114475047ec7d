import { hasRole } from '../../../../access/index.ts'
import type { Catalog, LayerSummary } from '../../../../catalog/index.ts'
import type { ReportAudience, ReportLayer } from '../../../../monitoring/report/index.ts'
import type { FastifyRequest } from '../../../app-types.ts'

/** Layers as the catalogue lists them. */
export type ReportCatalog = Pick<Catalog, 'cards'>

/**
 * The only place that decides which layers a reader of reports and demand maps may see: users read every layer, others public
 * ones.
 */
export async function reportAudience(
  { cards }: ReportCatalog,
  caller: FastifyRequest['caller'],
): Promise<ReportAudience> {
  return audienceOf(cards, hasRole(caller, 'user'))
}

/** The same for a user who is not there, such as the creator of a subscription. */
export async function audienceOfUser({ cards }: ReportCatalog, _userName: string): Promise<ReportAudience> {
  return audienceOf(cards, true)
}

async function audienceOf(cards: ReportCatalog['cards'], isKnown: boolean): Promise<ReportAudience> {
  const all = await cards.now()
  const visible = isKnown ? all : all.open
  const layers = [...visible.byId.values()].map((card) => [card.qualifiedName, toReportLayer(card)] as const)
  return { seesAll: isKnown, layers: new Map(layers) }
}

function toReportLayer({ qualifiedName, title, owner, doi, rows }: LayerSummary): ReportLayer {
  return { key: qualifiedName, title, owner, doi, rows }
}
