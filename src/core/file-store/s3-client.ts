import type { S3ClientConfig } from '@aws-sdk/client-s3'
import type { S3Settings } from '../config/file-settings.ts'
import { plainReason } from '../errors/plain-reason.ts'

const connectMs = 5000
/** Maximum time until the response to a request that sends little, and maximum silence within a response. */
export const silenceMs = 15_000
/** The same for a part of a file that is sent. */
const sendMs = 60_000

/** Sets options that the SDK would otherwise read from the environment and home directory of this process. */
export function clientConfig(settings: S3Settings): S3ClientConfig {
  const { endpoint, region, accessKey, secretKey, addressing } = settings
  return {
    region,
    endpoint,
    forcePathStyle: addressing === 'path',
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey.reveal() },
    maxAttempts: 3,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    ignoreConfiguredEndpointUrls: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMs, requestTimeout: sendMs, throwOnRequestTimeout: true },
  }
}

/** Returns the environment in which GDAL reads objects of the bucket by `/vsis3/`. */
export function gdalEnvironment(settings: S3Settings): Record<string, string> {
  const { endpoint, region, accessKey, secretKey, addressing } = settings
  const url = endpoint === undefined ? undefined : new URL(endpoint)
  return {
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey.reveal(),
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_VIRTUAL_HOSTING: addressing === 'host' ? 'TRUE' : 'FALSE',
    ...(url === undefined
      ? {}
      : { AWS_S3_ENDPOINT: url.host, AWS_HTTPS: url.protocol === 'https:' ? 'YES' : 'NO' }),
    GDAL_DISABLE_READDIR_ON_OPEN: 'EMPTY_DIR',
    CPL_VSIL_CURL_USE_HEAD: 'NO',
    GDAL_HTTP_CONNECTTIMEOUT: '5',
    GDAL_HTTP_TIMEOUT: '30',
    GDAL_HTTP_MAX_RETRY: '2',
    GDAL_HTTP_RETRY_DELAY: '1',
    CPL_VSIL_CURL_CHUNK_SIZE: '65536',
    VSI_CACHE: 'TRUE',
    VSI_CACHE_SIZE: '16000000',
  }
}

interface SdkError {
  name: string
  message: string
  Code?: string
  $metadata?: { httpStatusCode?: number }
}

/** Status of the response to a request that failed; undefined without a response. */
function statusOf(error: unknown): number | undefined {
  return (error as Partial<SdkError> | undefined)?.$metadata?.httpStatusCode
}

/** True if the object, or the bucket, does not exist. */
export function isMissing(error: unknown): boolean {
  const { name = '' } = error as Partial<SdkError>
  return name === 'NoSuchKey' || name === 'NotFound' || (statusOf(error) === 404 && name !== 'NoSuchBucket')
}

const settingOf = new Map([
  ['InvalidAccessKeyId', 'TERRANE_FILES_ACCESS_KEY is not known to the object store'],
  ['SignatureDoesNotMatch', 'TERRANE_FILES_SECRET_KEY is not that of TERRANE_FILES_ACCESS_KEY'],
  ['NoSuchBucket', 'TERRANE_FILES names a bucket that does not exist: create it'],
  ['InvalidBucketName', 'TERRANE_FILES names a bucket that cannot exist'],
  ['PermanentRedirect', 'TERRANE_FILES_REGION is not the region of the bucket'],
  ['AuthorizationHeaderMalformed', 'TERRANE_FILES_REGION is not the region of the bucket'],
  ['IllegalLocationConstraintException', 'TERRANE_FILES_REGION is not the region of the bucket'],
  ['RequestTimeTooSkewed', 'the clocks of this machine and of the object store differ: set them'],
])

/** Explains a failed request to the operator, with the setting to change. `action` is what was tried. */
export function explainForOperator(error: unknown, settings: S3Settings, action: string): string {
  const { name = '', message = '' } = error as Partial<SdkError>
  const status = statusOf(error)
  const known =
    settingOf.get(name) ??
    settingOf.get(/\b(InvalidAccessKeyId|SignatureDoesNotMatch)\b/.exec(message)?.[0] ?? '')
  if (known !== undefined) return `${known} (${name})`
  if (status === 301 || status === 307) return `${settingOf.get('PermanentRedirect')} (${status})`
  if (status === 403)
    return `TERRANE_FILES_ACCESS_KEY has no permission to ${action} in s3://${settings.bucket}/${settings.prefix} (${name})`
  if (status === 404)
    return `TERRANE_FILES names s3://${settings.bucket}/${settings.prefix}, which does not exist (${name})`
  const endpoint = `TERRANE_FILES_ENDPOINT ${settings.endpoint ?? '(Amazon S3)'}`
  if (status === undefined) return `${endpoint} cannot be reached: ${plainReason(error) ?? message}`
  return `${endpoint} answers ${status} ${name} to the attempt to ${action}`
}
