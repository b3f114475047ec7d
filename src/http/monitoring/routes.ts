import { endpoint } from '../endpoint.ts'
import { changeCheck, deleteCheck, listDeliveries, showConfiguration } from './notification-config.ts'
import { createCheck, listNotifications } from './notifications.ts'
import { showStatus } from './status.ts'

/** Checks: what does not hold, what they compare, and whom they have told. */
export const checkEndpoints = [
  endpoint('GET', '/monitoring/api/status', 'user', 'unrecorded', { showStatus }),
  endpoint('GET', '/monitoring/api/notifications', 'user', 'unrecorded', { listNotifications }),
  endpoint('POST', '/monitoring/api/notifications', 'staff', 'unrecorded', { createCheck }),
  endpoint('GET', '/monitoring/api/notifications/config/:id', 'staff', 'unrecorded', { showConfiguration }),
  endpoint('POST', '/monitoring/api/notifications/config/:id', 'staff', 'unrecorded', { changeCheck }),
  endpoint('DELETE', '/monitoring/api/notifications/config/:id', 'staff', 'unrecorded', { deleteCheck }),
  endpoint('GET', '/monitoring/api/notifications/config/:id/deliveries', 'staff', 'unrecorded', {
    listDeliveries,
  }),
]
