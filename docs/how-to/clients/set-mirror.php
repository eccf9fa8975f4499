<?php

declare(strict_types=1);

const BLANKS = " \t\n\v\f\r";
$base = rtrim(trim((string) getenv('CAMPAIGN_MIRROR_URL'), BLANKS), '/');
define('BASE', $base === '' ? 'http://127.0.0.1:3000' : $base);
define('KEY', trim((string) getenv('CAMPAIGN_MIRROR_KEY'), BLANKS));
define('IF_MATCH', trim((string) getenv('CAMPAIGN_MIRROR_IF_MATCH'), BLANKS));

/**
 * @return array{int, string, bool, int} status (0: no answer), text, whether another attempt can succeed, and how many
 *     seconds to wait before it
 */
function attempt(string $campaign, string $body, string $request): array
{
    $wait = 1;
    $call = curl_init(BASE . "/public/v1/mirror/campaign/$campaign/mirror");
    curl_setopt_array($call, [
        CURLOPT_POSTFIELDS => $body,
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . KEY,
            'Content-Type: application/json',
            "X-Request-Id: $request",
            'If-Match: ' . IF_MATCH,
        ],
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$wait): int {
            if (preg_match('/^Retry-After:[ \t]*([0-9]{1,9})[0-9]*\s*$/i', $line, $found)) {
                $wait = (int) $found[1];
            }
            // A proxy that compresses answers may change the tag, such as to W/"18" or "18-gzip".
            if (IF_MATCH !== '' && preg_match('/^ETag:.*"([0-9]+)[-a-z]*"\s*$/i', $line, $found)) {
                fwrite(STDERR, "ETag: \"$found[1]\"\n");
            }
            return strlen($line);
        },
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 40,
    ]);
    $text = curl_exec($call);
    if ($text === false) {
        // No server, no address for its name, a timeout, or a broken connection. Other errors are permanent.
        return [0, curl_error($call), in_array(curl_errno($call), [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92], true), 1];
    }
    $status = curl_getinfo($call, CURLINFO_RESPONSE_CODE);
    return [$status, trim($text, BLANKS), in_array($status, [408, 429, 503], true), $wait];
}

/** Sets the mirror of a campaign. Throws when it is refused, or when four attempts came to nothing. */
function setMirror(string $campaign, string $address): array
{
    if (KEY === '') {
        throw new RuntimeException('CAMPAIGN_MIRROR_KEY is not set');
    }
    if (preg_match('/[^!-~]/', KEY)) {
        throw new RuntimeException('CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it');
    }
    if (!preg_match('#^https?://[A-Za-z0-9_.~%[\]-][A-Za-z0-9_.~:/%[\]-]*$#D', BASE)) {
        throw new RuntimeException('CAMPAIGN_MIRROR_URL must be like https://mirror.example.com');
    }
    if (!preg_match('/^[1-9][0-9]*$/D', $campaign)) {
        throw new RuntimeException('the campaign must be a number: digits only, without a leading zero');
    }
    if (preg_match('/^[^\0-\x1f\x7f]*$/Du', $address) !== 1) {
        throw new RuntimeException('the address has control characters in it, such as a CR at its end, or is not UTF-8');
    }
    if (!preg_match('/^(\*|"[0-9]+"|)$/D', IF_MATCH)) {
        throw new RuntimeException('CAMPAIGN_MIRROR_IF_MATCH must be * or a number in quotes, such as "17"');
    }
    // Escaped characters need more bytes, and the service limits the size of the body.
    $body = json_encode(['mirror_endpoint' => $address], JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE);
    $request = bin2hex(random_bytes(16));
    for ($attempts = 1; ; $attempts++) {
        [$status, $text, $again, $wait] = attempt($campaign, $body, $request);
        if ($status === 200 && preg_match('/^\{"mirror":\{.*\}\}$/D', $text)) {
            return json_decode($text, true, flags: JSON_THROW_ON_ERROR)['mirror'];
        }
        if ($status === 412 && preg_match('/^\{"message":"[^"]*","mirror":\{.*\}\}$/D', $text)) {
            $mirror = json_decode($text, true, flags: JSON_THROW_ON_ERROR)['mirror'];
            if ($mirror['target_url'] === $address) {
                fwrite(STDERR, "already set: the mirror has this address, perhaps by an earlier attempt\n");
                return $mirror;
            }
        }
        if (!$again || $wait > 60 || $attempts === 4) {
            throw new RuntimeException("$status $text (request $request)", $status);
        }
        usleep($wait * 1_000_000 + random_int(0, $attempts * 1_000_000));
    }
}

try {
    if ($argc !== 3) {
        throw new RuntimeException('usage: CAMPAIGN_MIRROR_KEY=cm_... php set-mirror.php CAMPAIGN ADDRESS');
    }
    $line = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS;
    $mirror = setMirror($argv[1], $argv[2]);
    // A closed standard output must not turn success into a failure.
    ignore_user_abort(true);
    echo json_encode($mirror, $line), "\n";
    exit(0);
} catch (RuntimeException | JsonException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit($error->getCode() === 412 ? 2 : 1);
}
