import type { Rights } from '../../../../access/index.ts'
import type { Catalog, LayerSummary } from '../../../../catalog/index.ts'
import type { ReportAudience, ReportLayer } from '../../../../monitoring/report/index.ts'

/** Layers as the catalogue lists them. */
export type ReportCatalog = Pick<Catalog, 'cards'>

/** Returns the layers that a reader of reports and demand maps may see. */
export async function reportAudience({ cards }: ReportCatalog, rights: Rights): Promise<ReportAudience> {
  const visible = (await cards.now()).readableBy(rights)
  const layers = [...visible.byId.values()].map((card) => [card.qualifiedName, toReportLayer(card)] as const)
  return { seesAll: rights.can('read', '*'), layers: new Map(layers) }
}

function toReportLayer({ qualifiedName, title, owner, doi, rows }: LayerSummary): ReportLayer {
  return { key: qualifiedName, title, owner, doi, rows }
}
