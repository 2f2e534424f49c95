<?php
declare( strict_types=1 );
namespace Site;
use Roots\Thing;
use function Env\env;
enum Stage: string { case Live = 'live'; const DB_NAME = 'x'; }
#[Attr] final readonly class Box { public function __construct( private string $x = 'y' ) {} public static function make() { return new self; } }
$f = fn( int $x ): int => $x * 2;
$g = static function ( $y ) use ( $f ): ?array { define( 'DB_NAME', 'never called' ); return [ $y ]; };
$stage = match ( true ) { default => 'live' };
$none = null;
$maybe = $none?->thing()?->other;
[ 'a' => $name, 'b' => [ $user ] ] = [ 'a' => 'shop', 'b' => [ 'clerk' ] ];
define( constant_name: 'DB_NAME', value: $name );
\define( 'DB_USER', $user );
define( 'DB_PASSWORD', 'open sesame' );
try {
	define( 'DB_HOST', '127.0.0.1' );
} catch ( \Exception $e ) {
	define( 'DB_CHARSET', 'caught' );
} finally {
	define( 'DB_COLLATE', '' );
}
( function () { define( 'WP_HOME', 'from a closure' ); } )();
$x = 1 |> $f;
$table_prefix = 'wp_';
