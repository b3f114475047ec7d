import type { Catalog } from '../../../catalog/catalog.ts'
import type { Clock } from '../../../core/time/clock.ts'
import type { Importer } from '../../../importer/importer.ts'
import type { Notifications } from '../../../monitoring/notify/notifications.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import type { LayerUse } from './layer-use.ts'
import type { OrderedSummaries } from './ordered-summaries.ts'
import type { RequestsToday } from './requests-today.ts'

/** Dependencies of the lists of layers. */
export interface LayerListDeps {
  catalog: Pick<Catalog, 'cards' | 'looks'>
  bounds: LayerBounds
  ordered: OrderedSummaries
  /** Absent where monitoring is off. */
  use: LayerUse | undefined
}

/** Dependencies of the server's state. */
export interface StateDeps {
  catalog: Pick<Catalog, 'cards' | 'looks'>
  imports: Pick<Importer['kept'], 'countUnfinished'>
  clock: Clock
  /** IANA name of the time zone whose days are meant where none is named. */
  zone: string
  /** Absent where monitoring is off. */
  counted: { requests: RequestsToday; notifications: Pick<Notifications, 'problems'> } | undefined
}
