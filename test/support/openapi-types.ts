// Made from openapi.json by `npm run openapi`.
export interface paths {
    "/public/v1/mirror/campaign/{campaign}/mirror": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the mirror of a campaign
         * @description The mirror has to have been created in the settings of the campaign, the campaign must not be the default one of its owner, and the key has to be one of its owner's. An answer of 200 means that the change is committed. Calling again with the same address is safe.
         */
        post: operations["setMirror"];
        delete?: never;
        /** Ask what can be called */
        options: operations["setMirrorOptions"];
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read this document */
        get: operations["readDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        MirrorUpdate: {
            /** @description The address, stored and returned exactly as it is sent: an absolute `http` or `https` URL of at most 2048 Unicode code points, without credentials, white space, control characters (bidirectional ones included) and backslashes. Macros such as `{click_id}` and international host names are fine. It is never fetched. */
            mirror_endpoint: string;
        };
        Mirror: {
            /** @description Identifier of the mirror. */
            id: number;
            /** @description Identifier of the campaign that it belongs to. */
            campaign_id: number;
            /** @description The address, exactly as it was sent. */
            target_url: string;
            /** @description How often it was clicked. */
            clicks: number;
            /** @description True after an update by this interface. */
            updated_externally: boolean;
            /** @description When that was: equal to `updated_at` in the answer to an update. */
            updated_externally_at: string;
            /** @description When the mirror was created. */
            created_at: string;
            /** @description When it was changed last; each change is later than the one before. */
            updated_at: string;
        };
        MirrorAnswer: {
            mirror: components["schemas"]["Mirror"];
        };
        Error: {
            message: string;
        };
        ValidationError: {
            message: string;
            errors: {
                /** @description One message: the first that applies. */
                mirror_endpoint: string[];
            };
        };
    };
    responses: never;
    parameters: {
        /**
         * @description Identifier of the campaign: decimal digits without a sign or a leading zero; anything else is 404.
         * @example 42
         */
        campaign: number;
        /** @description Your own identifier for the request, which its answer, the log and the history carry. */
        requestId: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description Identifier of the request, for questions about it: the one that it was sent with, or a new one.
         * @example 0b0f6b7e-3f0c-4c35-9d5e-1c3f2a7f5d11
         */
        "X-Request-Id": string;
        /**
         * @description No answer to a call may be kept.
         * @example no-store
         */
        "Cache-Control": string;
        /**
         * @description Requests that the key may make in a period, where the operator limits them.
         * @example 600
         */
        "X-RateLimit-Limit": number;
        /**
         * @description How many of them are left.
         * @example 599
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When all of them are there again: Unix time in seconds.
         * @example 1795190160
         */
        "X-RateLimit-Reset": number;
        /**
         * @description The same limit as a structured field: `q` requests in `w` seconds.
         * @example "default";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description The same rest as a structured field: `r` requests, all of them again in `t` seconds.
         * @example "default";r=599;t=30
         */
        RateLimit: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    setMirror: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own identifier for the request, which its answer, the log and the history carry. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /**
                 * @description Identifier of the campaign: decimal digits without a sign or a leading zero; anything else is 404.
                 * @example 42
                 */
                campaign: components["parameters"]["campaign"];
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes, in UTF-8, without a content encoding. Other keys are ignored. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mirror_endpoint": "https://second.example/?click={click_id}"
                 *     }
                 */
                "application/json": components["schemas"]["MirrorUpdate"];
            };
        };
        responses: {
            /** @description The mirror is set, and that is committed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MirrorAnswer"];
                };
            };
            /**
             * @description - The request can not be understood; the connection closes.
             *     - There is more than one `Authorization` header.
             *     - The body is not JSON, or not UTF-8.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description - There is no key, or the scheme is not `Bearer`.
             *     - The key is unknown, malformed, expired or revoked.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description How to authenticate (RFC 6750). */
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description - The mirror was not created in the settings of the campaign.
             *     - The campaign is the default one.
             *     - The key is not one of the owner of the campaign.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description - There is no such campaign.
             *     - There is no such path.
             */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The method is another than `POST`. */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The methods that the path has. */
                    Allow: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request came too slowly; the connection closes. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is larger than the limit. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The body is not `application/json` in UTF-8, or has a content encoding. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `Expect` is not `100-continue`; the connection closes. */
            417: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description - `mirror_endpoint` is missing, null or blank, or the body is no object.
             *     - `mirror_endpoint` is not a string.
             *     - The address has more than 2048 characters.
             *     - It is no absolute `http` or `https` URL, or holds credentials, white space, a control character or a backslash.
             *     - The operator allows no mirror on this host.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationError"];
                };
            };
            /** @description There were more requests than the operator allows, with this key, or with keys that are none. Wait for `Retry-After` seconds. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description Seconds to wait before the next try. */
                    "Retry-After": number;
                    /** @description Requests that the key may make in a period, where the operator limits them. */
                    "X-RateLimit-Limit": number;
                    /** @description How many of them are left. */
                    "X-RateLimit-Remaining": number;
                    /** @description When all of them are there again: Unix time in seconds. */
                    "X-RateLimit-Reset": number;
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The headers, or the path, are larger than 16 KiB; the connection closes. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of ours. Tell us its `X-Request-Id`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The database is away or slow, or there is more to do than can be. Whether the mirror was set is unknown. Wait for `Retry-After` seconds and repeat: setting the same address again is safe, unless somebody else set another meanwhile. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description Seconds to wait before the next try. */
                    "Retry-After": number;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    setMirrorOptions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the campaign: decimal digits without a sign or a leading zero; anything else is 404.
                 * @example 42
                 */
                campaign: components["parameters"]["campaign"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The methods of the path; to a preflight of an origin that the operator allows, what it may send. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The methods that the path has. */
                    Allow: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request can not be understood; the connection closes. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request came too slowly; the connection closes. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `Expect` is not `100-continue`; the connection closes. */
            417: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The headers, or the path, are larger than 16 KiB; the connection closes. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of ours. Tell us its `X-Request-Id`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The database is away or slow, or there is more to do than can be. Whether the mirror was set is unknown. Wait for `Retry-After` seconds and repeat: setting the same address again is safe, unless somebody else set another meanwhile. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description Seconds to wait before the next try. */
                    "Retry-After": number;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    readDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description This document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description Changes with the document. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description It is the one of `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description Changes with the document. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request can not be understood; the connection closes. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The method is another than `GET` and `HEAD`. */
            405: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description The methods that the path has. */
                    Allow: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The request came too slowly; the connection closes. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `Expect` is not `100-continue`; the connection closes. */
            417: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The headers, or the path, are larger than 16 KiB; the connection closes. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A fault of ours. Tell us its `X-Request-Id`. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The database is away or slow, or there is more to do than can be. Whether the mirror was set is unknown. Wait for `Retry-After` seconds and repeat: setting the same address again is safe, unless somebody else set another meanwhile. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    /** @description Seconds to wait before the next try. */
                    "Retry-After": number;
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
