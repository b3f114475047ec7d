// Counts requests and measures hosts, answers queries and sends alerts. Does not know HTTP, importer or
// catalogue: it listens to their events. Start reading at `monitoring.ts`.

export { isServiceException, serviceException } from './collect/classify/ogc-exception.ts'
export { describeException } from './collect/server/describe-exception.ts'
export type { ServerException, ServerRequest } from './collect/server/server-request.ts'
export { Monitoring } from './monitoring.ts'
export { serverIdentity } from './notify/channels/channel.ts'
export { channels } from './notify/channels/channels.ts'
export { createMailer } from './notify/channels/mail/send-mail.ts'
export { comparisons } from './notify/comparisons/comparisons.ts'
export type { ChangedCheck } from './notify/configure/checks.ts'
export { type Configuration, editedPart, receiverLines } from './notify/configure/configuration.ts'
export { type DescribedField, type NamedScope, scopeParts } from './notify/configure/described-field.ts'
export { type CreateNotificationsDeps, createNotifications } from './notify/create-notifications.ts'
export { amountText } from './notify/model/amount.ts'
export { durationText } from './notify/model/duration.ts'
export {
  type Check,
  type CheckProblems,
  type Delivery,
  deliveryStates,
  fieldName,
  messageKinds,
  type Problem,
  type Threshold,
} from './notify/model/model.ts'
export { stepCount } from './notify/model/steps.ts'
export type { Notifications } from './notify/notifications.ts'
export type { UsedResource } from './series/request-event.ts'
export type { Resolution } from './series/schema.ts'
export type { SeriesDatabase, SeriesLocation } from './series/series-database.ts'
export { autoconfigure, configureFirst } from './services/autoconfigure.ts'
export { Services } from './services/services.ts'
export { ownServices, splitDoubles } from './watched-services.ts'
